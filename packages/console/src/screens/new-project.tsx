import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { DialogButton } from '../components/dialog.tsx';
import { Field, NameField } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { useAccess } from '../session/access.tsx';

/** Room for a million records each, or as much of it as the plan allows. */
const shards = 10;

/** Creates a project with three empty datasets, ready for files. */
export function NewProject() {
  return (
    <DialogButton
      icon={<Plus aria-hidden />}
      label="New project"
      title="New project"
      description="Creates a project with empty datasets for users, items and events."
    >
      {() => <NewProjectForm />}
    </DialogButton>
  );
}

function NewProjectForm() {
  const { client, account } = useAccess();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [target, setTarget] = useState('');
  const create = useMutation({
    mutationFn: async () => {
      const dataset = (kind: string) => ({ name: `${name} ${kind}`.slice(0, 200), num_shards: shards });
      const { user_dataset_id } = await client.createUserDataset(dataset('users'));
      const { item_dataset_id } = await client.createItemDataset(dataset('items'));
      const { event_dataset_id } = await client.createEventDataset(dataset('events'));
      return client.createProject({
        name,
        project_type: 'RECOMMEND_ITEMS_TO_USER',
        user_dataset_id,
        item_dataset_id,
        event_dataset_id,
        target_event_type: target,
      });
    },
    onSuccess: async ({ project_id }) => {
      await queryClient.invalidateQueries({ queryKey: [account.account_id, 'projects'] });
      await navigate({
        to: '/accounts/$accountId/projects/$projectId/data',
        params: { accountId: account.account_id, projectId: project_id },
      });
    },
  });
  return (
    <Form action="Create" change={create} isErrorFirst onSubmit={() => create.mutate()}>
      <NameField value={name} required onChange={setName} />
      <Field
        label="Which event should be predicted?"
        hint="The event type that matters most in your data, such as buy, watch or like."
        value={target}
        maxLength={100}
        required
        onChange={setTarget}
      />
    </Form>
  );
}
