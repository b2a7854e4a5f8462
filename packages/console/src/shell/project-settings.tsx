import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../components/button.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Dialog } from '../components/dialog.tsx';
import { NameField, SelectField } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { QueryView } from '../components/states.tsx';
import { useAccess, useMay } from '../session/access.tsx';
import { useItemAttributes } from '../use/items.ts';
import { type Project, projectQuery } from '../use/projects.ts';

interface ProjectSettingsProps {
  readonly projectId: string;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** The name of the project, and which attributes name and picture its items. */
export function ProjectSettings({ projectId, open, onClose }: ProjectSettingsProps) {
  const { client, account } = useAccess();
  const project = useQuery({ ...projectQuery(client, account.account_id, projectId), enabled: open });
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Project settings"
      description="What the project is called, and how its items are shown here and on the command line."
    >
      <QueryView query={project}>{(found) => <SettingsForm project={found} onDone={onClose} />}</QueryView>
    </Dialog>
  );
}

function SettingsForm({ project, onDone }: { project: Project; onDone: () => void }) {
  const { client, account } = useAccess();
  const queryClient = useQueryClient();
  const attributes = useItemAttributes(project.item_dataset_id);
  const [name, setName] = useState(project.name);
  const [title, setTitle] = useState(project.title_attribute);
  const [picture, setPicture] = useState(project.picture_attribute);
  const canDelete = useMay('deleteProject');
  const [isDeleting, setDeleting] = useState(false);
  const save = useMutation({
    mutationFn: () =>
      client.updateProject({
        project_id: project.project_id,
        name,
        title_attribute: title,
        picture_attribute: picture,
      }),
    onSuccess: async (changed) => {
      queryClient.setQueryData([account.account_id, 'project', project.project_id], changed);
      await queryClient.invalidateQueries({ queryKey: [account.account_id, 'projects'] });
      onDone();
    },
  });
  return (
    <>
      <Form
        action="Save"
        change={save}
        isErrorFirst
        onSubmit={() => save.mutate()}
        aside={
          canDelete && (
            <Button look="danger" className="mr-auto" onClick={() => setDeleting(true)}>
              <Trash2 aria-hidden /> Delete the project
            </Button>
          )
        }
      >
        <NameField value={name} required onChange={setName} />
        <QueryView query={attributes}>
          {(names) => (
            <>
              <AttributeField label="Title of an item" names={names} value={title} onChange={setTitle} />
              <AttributeField
                label="Picture of an item"
                names={names}
                value={picture}
                onChange={setPicture}
              />
            </>
          )}
        </QueryView>
      </Form>
      {isDeleting && <DeleteProject project={project} onClose={() => setDeleting(false)} />}
    </>
  );
}

function DeleteProject({ project, onClose }: { project: Project; onClose: () => void }) {
  const { client, account } = useAccess();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { project_id, name } = project;
  const remove = useMutation({
    mutationFn: () => client.deleteProject({ project_id }),
    onSuccess: async () => {
      await navigate({ to: '/accounts/$accountId', params: { accountId: account.account_id } });
      await queryClient.invalidateQueries({ queryKey: [account.account_id, 'projects'] });
    },
  });
  return (
    <ConfirmDialog
      title={`Delete “${name}”?`}
      action="Delete"
      typed={{ label: `Type ${name} to confirm`, text: name }}
      change={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      Its models, scenarios, experiments and jobs are deleted, and calls to it fail from then on. Its datasets
      stay.
    </ConfirmDialog>
  );
}

interface AttributeFieldProps {
  readonly label: string;
  readonly names: readonly string[];
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}

/** One of the item attributes, or none. The current one is a choice even if no item has it. */
function AttributeField({ label, names, value, onChange }: AttributeFieldProps) {
  const choices = value === null || names.includes(value) ? names : [value, ...names];
  return (
    <SelectField
      label={label}
      // No attribute has an empty name.
      value={value ?? ''}
      choices={[['', 'Guess it from the attributes'], ...choices]}
      onChange={(name) => onChange(name === '' ? null : name)}
    />
  );
}
