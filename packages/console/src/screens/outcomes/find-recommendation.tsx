import { Search } from 'lucide-react';
import { type SubmitEvent, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Field } from '../../components/field.tsx';
import { QueryView } from '../../components/states.tsx';
import { Given } from './given.tsx';
import { useRecommendation } from './use-outcomes.ts';

interface FindRecommendationProps {
  readonly chosen: string | undefined;
  readonly onChoose: (recommendationId: string | undefined) => void;
  readonly nameOfModel: (modelId: string | null) => string;
}

/** One response, found by its ID: why these items were recommended then. */
export function FindRecommendation({ chosen, onChoose, nameOfModel }: FindRecommendationProps) {
  const [text, setText] = useState(chosen ?? '');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onChoose(text.trim() === '' ? undefined : text.trim());
  };
  return (
    <Card title="Why was this recommended?" hint="look up one response by its ID">
      <form onSubmit={submit} className="flex flex-wrap items-end gap-2 px-4 py-3">
        <Field
          label="Recommendation ID"
          className="min-w-0 flex-1 basis-64"
          placeholder="rec_…"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={setText}
        />
        <Button type="submit">
          <Search aria-hidden /> Look up
        </Button>
      </form>
      {chosen === undefined ? (
        <p className="border-t border-line px-4 py-3 text-sm text-muted">
          Every response has a <code>recommendation_id</code>. The playground links the responses that it
          shows to this page. A new response can be looked up after a few seconds.
        </p>
      ) : (
        <Found key={chosen} recommendationId={chosen} nameOfModel={nameOfModel} />
      )}
    </Card>
  );
}

function Found(props: { recommendationId: string; nameOfModel: (modelId: string | null) => string }) {
  const query = useRecommendation(props.recommendationId);
  return (
    // It is below the figures; a link to it leads here.
    <div ref={(element) => element?.scrollIntoView()} className="border-t border-line">
      <QueryView query={query} lines={6}>
        {(given) => <Given given={given} nameOfModel={props.nameOfModel} />}
      </QueryView>
    </div>
  );
}
