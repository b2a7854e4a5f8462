import type { QuestionCall } from '../call/question-call.ts';
import { CallBudget } from '../call-budget.ts';
import { MirrorUnusableError, type MirrorView } from '../catalogue/item-mirror.ts';
import type { LoadedModel } from '../models/loaded-model.ts';

/** Share of a call's time and steps for numbering the items of a model that is new to the mirror. */
const viewShare = 0.5;

/**
 * Finds items in a mirror, so that their records are not read from the database. Without a mirror, or if it changed meanwhile, finds
 * them in the database. Both ways give the same result, except for items that were added after training: only a mirror knows their
 * attributes before they are found, so without one they come last.
 */
export async function searchMirror<Result>(
  call: QuestionCall,
  model: LoadedModel,
  find: (mirror: MirrorView | undefined) => Promise<Result>,
): Promise<Result> {
  const mirror = await openMirror(call, model);
  if (!mirror) return find(undefined);
  try {
    return await find(mirror);
  } catch (error) {
    if (!(error instanceof MirrorUnusableError)) throw error;
    return find(undefined);
  }
}

async function openMirror(
  { serving, project, clock }: QuestionCall,
  model: LoadedModel,
): Promise<MirrorView | undefined> {
  const mirror = await serving.mirrors.open(project.items, clock.leftMs());
  const budget = new CallBudget(project.account_id, clock.leftMs);
  const view = await mirror?.view(model, budget.share(viewShare));
  return view && { ...view, late: serving.takenItems.addTo(project, model, view.late) };
}
