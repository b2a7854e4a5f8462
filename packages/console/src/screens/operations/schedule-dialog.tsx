import { useId, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { CheckField, Field, inputClass, NameField, SelectField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import {
  type NewSchedule,
  type Schedule,
  type ScheduledType,
  scheduledTypes,
  times,
  useCreateSchedule,
  useUpdateSchedule,
} from '../../use/schedules.ts';

const other = 'other';
const localZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

type Work = NewSchedule['what'];

interface When {
  /** One of the usual times, or `other`. */
  readonly time: string;
  readonly cron: string;
  readonly timeZone: string;
}

const nightly: NewSchedule = {
  name: 'Nightly training',
  cron: '0 3 * * *',
  what: { job_type: 'TRAINING', deploy: true, guard: { max_loss: 0.01 } },
};

/** When to run which job: a new schedule, or one that exists. */
export function ScheduleDialog({ schedule, onClose }: { schedule?: Schedule; onClose: () => void }) {
  const create = useCreateSchedule();
  const update = useUpdateSchedule();
  const change = schedule ? update : create;
  const first = schedule ?? nightly;
  const isKnown = Object.hasOwn(times, first.cron);
  const [name, setName] = useState(first.name);
  const [when, setWhen] = useState<When>(() => ({
    time: isKnown ? first.cron : other,
    cron: isKnown ? '' : first.cron,
    timeZone: first.time_zone ?? localZone(),
  }));
  const [type, setType] = useState<ScheduledType>(first.what.job_type);
  const [deploys, setDeploys] = useState(first.what.deploy ?? first.what.job_type !== 'TRAINING');
  const [isGuarded, setGuarded] = useState(first.what.deploy !== true || first.what.guard !== undefined);
  const [request, setRequest] = useState(() => JSON.stringify(first.what.request ?? {}, null, 2));
  const [problem, setProblem] = useState<string>();
  const requestId = useId();
  const submit = () => {
    const fields = parseObject(request);
    setProblem(fields === undefined ? 'Write a JSON object, such as {"limit": 10}.' : undefined);
    if (fields === undefined) return;
    const guard = first.what.guard ?? { max_loss: 0.01 };
    const isTraining = type === 'TRAINING';
    const what: Work = {
      job_type: type,
      ...((!isTraining || first.what.request) && { request: fields }),
      ...(isTraining && { deploy: deploys }),
      ...(isTraining && deploys && isGuarded && { guard }),
    };
    const cron = when.time === other ? when.cron : when.time;
    const settings = { name, cron, time_zone: when.timeZone, what };
    if (schedule) update.mutate({ schedule_id: schedule.schedule_id, ...settings }, { onSuccess: onClose });
    else create.mutate(settings, { onSuccess: onClose });
  };
  return (
    <Dialog
      onClose={onClose}
      title={schedule ? `Edit ${schedule.name}` : 'New schedule'}
      description="Tastegraph starts the job. A run is skipped while the previous one is still running."
    >
      <Form action={schedule ? 'Save' : 'Create'} change={change} onSubmit={submit} onCancel={onClose}>
        <NameField required autoComplete="off" value={name} onChange={setName} />
        <TimeFields when={when} onChange={setWhen} />
        <SelectField label="What to do" value={type} choices={scheduledTypes} onChange={setType} />
        {type === 'TRAINING' ? (
          <div className="space-y-2">
            <CheckField label="Deploy the model" checked={deploys} onChange={setDeploys} />
            {deploys && (
              <CheckField
                label="Unless it predicts the newest events worse than the deployed model, by more than 1 %"
                checked={isGuarded}
                onChange={setGuarded}
              />
            )}
          </div>
        ) : (
          <div>
            <label htmlFor={requestId} className="mb-1 block font-medium">
              Fields of the job (JSON)
            </label>
            <textarea
              id={requestId}
              rows={4}
              spellCheck={false}
              className={`${inputClass} h-auto py-1.5 font-mono text-sm`}
              value={request}
              aria-invalid={problem !== undefined}
              aria-describedby={`${requestId}-note`}
              onChange={(event) => setRequest(event.target.value)}
            />
            <p id={`${requestId}-note`} className="mt-1 text-sm text-muted">
              {problem ?? 'As the call that submits the job takes them, without project and name.'}
            </p>
          </div>
        )}
      </Form>
    </Dialog>
  );
}

/** One of the usual times, or a cron expression; in a time zone. */
function TimeFields({ when, onChange }: { when: When; onChange: (when: When) => void }) {
  const { time, cron, timeZone } = when;
  const zones = useId();
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-[3fr_2fr]">
        <SelectField
          label="When"
          value={time}
          choices={{ ...times, [other]: 'Cron expression' }}
          onChange={(chosen) => onChange({ ...when, time: chosen })}
        />
        <Field
          label="Time zone"
          required
          list={zones}
          value={timeZone}
          onChange={(zone) => onChange({ ...when, timeZone: zone })}
        />
        <datalist id={zones}>
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </div>
      {time === other && (
        <Field
          label="Cron expression"
          required
          placeholder="30 2 * * 1-5"
          value={cron}
          onChange={(text) => onChange({ ...when, cron: text })}
          hint="Minute, hour, day of the month, month, day of the week."
        />
      )}
    </>
  );
}

/** Undefined if it is not a JSON object. */
function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
