import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Rules, ruleFields } from '../../rules/rules.ts';
import { useAccess } from '../../session/access.tsx';
import { shownAttributes, useItemLook, useItemSample } from '../../use/items.ts';
import { useProject } from '../../use/projects.ts';
import { useSettled } from '../../use-settled.ts';
import type { RecommendCall } from './call-text.ts';
import type { Subject } from './subject.ts';
import { type Variant, variantFields } from './variants.ts';

const limit = 12;

/** The call for the subject and the rules, once nobody has typed for a moment; undefined while there is nobody to ask for. */
export function useCall(
  subject: Subject | undefined,
  rules: Rules,
  variant: Variant | undefined,
): RecommendCall | undefined {
  const { project_id } = useProject();
  const { isSuccess } = useItemSample();
  const look = useItemLook();
  const settled = useSettled(rules);
  return useMemo(() => {
    if (!isSuccess || subject === undefined || variant === undefined) return undefined;
    const rest = {
      project_id,
      attributes: shownAttributes(look),
      limit,
      ...ruleFields(settled),
      ...variantFields(variant),
    };
    if (subject.kind === 'user')
      return subject.userId === '' ? undefined : { user_id: subject.userId, ...rest };
    return subject.items.length === 0 ? undefined : { context_items: subject.items, ...rest };
  }, [subject, settled, variant, project_id, look, isSuccess]);
}

export function useAnswer(asked: RecommendCall | undefined) {
  const { client, account } = useAccess();
  return useQuery({
    queryKey: [account.account_id, 'recommend', asked],
    queryFn: async ({ signal }) => {
      const startedAt = performance.now();
      const { boosts, context_items, attributes = [], ...rest } = asked ?? {};
      const answer = await client.recommendItemsToUser(
        {
          ...rest,
          // What is not set is not sent: an empty list would override that of a scenario.
          ...(boosts && { boosts: [...boosts] }),
          ...(context_items && { context_items: [...context_items] }),
          attributes: [...attributes],
          explain: true,
        },
        { signal },
      );
      return { answer, ms: performance.now() - startedAt };
    },
    enabled: asked !== undefined,
    placeholderData: (previous) => (asked === undefined ? undefined : previous),
    staleTime: 0,
  });
}

export type AnswerQuery = ReturnType<typeof useAnswer>;
