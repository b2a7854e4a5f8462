import Type from 'typebox';
import { Closed, EventType, Id, Name, Named, Nullable, Ts } from './fields.ts';
import { AlgorithmParameters, AlgorithmType } from './project.ts';

const count = Type.Integer({ minimum: 0 });

const Estimate = Named(
  'Estimate',
  Closed(
    { value: Type.Number(), low: Type.Number(), high: Type.Number() },
    { description: 'A mean over users, and the interval that holds the true one in 95 of 100 cases.' },
  ),
);

const Metrics = Named(
  'Metrics',
  Closed(
    {
      users: Type.Integer({ minimum: 0, description: 'Users whose held-out events were predicted.' }),
      recall_at_20: Estimate,
      ndcg_at_20: Estimate,
      coverage: Estimate,
    },
    {
      description:
        'Every item was a candidate for every user; none were sampled. Coverage is the share of all items that was recommended to somebody.',
    },
  ),
);

const compared = { model: Metrics, popularity: Metrics };

const LeftOut = Named('LeftOut', Closed({ what: Type.String(), count, why: Type.String() }));

const ModelTraining = Named(
  'ModelTraining',
  Closed(
    {
      chosen_parameters: AlgorithmParameters,
      held_out: Type.Enum(['latest', 'random'], {
        description:
          "Which part of each user's target events was predicted from the rest: the latest, or any where times say nothing.",
      }),
      metrics: Closed({
        ...compared,
        cold_users: Nullable(Named('ColdUserMetrics', Closed(compared)), {
          description:
            'Users put aside whole: only their attributes were known. Null where there are too few users for it.',
        }),
        cold_items: Closed(
          { items: count, recall_at_20: Estimate },
          { description: 'Of held-out events, those with items that only occur there.' },
        ),
      }),
      data: Closed({
        events: count,
        target_events: count,
        users: count,
        items: count,
        items_without_record: count,
        event_types: Type.Array(EventType),
      }),
      left_out: Type.Array(LeftOut),
      usage_evidence: Type.Optional(
        Type.Number({
          minimum: 0,
          description:
            "k of a user's usage: how many target events the model's prediction counts as beside those observed. Chosen on the data. Models trained before queries had none.",
        }),
      ),
      seconds: Closed({
        read: Type.Number(),
        search: Type.Number(),
        fit: Type.Number(),
        write: Type.Number(),
      }),
      file_bytes: count,
    },
    { description: 'How the model came to be, and how good it is on events it had not seen.' },
  ),
);

export const Model = Named(
  'Model',
  Closed({
    project_id: Id('project'),
    model_id: Id('model'),
    name: Name,
    algorithm_type: AlgorithmType,
    algorithm_parameters: AlgorithmParameters,
    created_ts: Ts,
    training: ModelTraining,
  }),
);

const ref = { project_id: Id('project'), model_id: Id('model') };
export const ModelRef = Closed(ref);
export const UpdateModel = Closed({ ...ref, name: Name });
