import {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  completionKeymap,
  startCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { Compartment, EditorState } from '@codemirror/state';
import { EditorView, keymap, placeholder as placeholderText } from '@codemirror/view';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { type AttributeHint, attributePath } from './attribute-hints.ts';

export interface CelEditorProps {
  readonly label: string;
  readonly describedBy: string | undefined;
  readonly placeholder: string;
  readonly value: string;
  readonly isInvalid: boolean;
  readonly hints: readonly AttributeHint[];
  readonly onChange: (value: string) => void;
  /** Where somebody is typing already. Undefined: nobody is. */
  readonly typing: Typing | undefined;
}

export interface Typing {
  readonly from: number;
  readonly to: number;
  /** Something was typed before the editor was there to complete it. */
  readonly hasTyped: boolean;
}

const theme = EditorView.theme({
  '&': {
    fontSize: '13px',
    border: '1px solid var(--color-line-strong)',
    borderRadius: '6px',
    background: 'var(--color-card)',
    color: 'var(--color-ink)',
  },
  '&.cm-focused': { outline: '2px solid var(--color-accent)', outlineOffset: '1px' },
  '.cm-content': { fontFamily: 'var(--font-mono)', padding: '6px 4px', caretColor: 'var(--color-ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--color-ink)' },
  '.cm-placeholder': { color: 'var(--color-muted)' },
  '.cm-tooltip': {
    background: 'var(--color-card)',
    color: 'var(--color-ink)',
    border: '1px solid var(--color-line)',
    borderRadius: '6px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--color-accent)',
    color: 'var(--color-accent-ink)',
  },
});

/** CodeMirror, loaded when somebody goes to a filter. It begins with `value`; from then on the editor has the text. */
export function CelEditor(props: CelEditorProps) {
  const { label, describedBy, placeholder, value, isInvalid, hints, onChange, typing } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const attributes = useRef(new Compartment());
  const names = useMemo(
    () =>
      EditorView.contentAttributes.of({
        'aria-label': label,
        'aria-invalid': String(isInvalid),
        ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
      }),
    [label, isInvalid, describedBy],
  );
  const latest = useRef({ onChange, hints, value, names, typing });
  latest.current = { onChange, hints, value, names, typing };
  // In the same task as the text field is removed: no key is lost in between.
  useLayoutEffect(() => {
    const parent = host.current;
    if (!parent) return undefined;
    const editor = new EditorView({
      parent,
      state: EditorState.create({
        doc: latest.current.value,
        ...(latest.current.typing && {
          selection: { anchor: latest.current.typing.from, head: latest.current.typing.to },
        }),
        extensions: [
          EditorView.cspNonce.of(
            document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '',
          ),
          history(),
          keymap.of([
            { key: 'Tab', run: acceptCompletion },
            ...completionKeymap,
            ...historyKeymap,
            ...defaultKeymap,
          ]),
          autocompletion({
            // Tab has no other use here that could be meant.
            interactionDelay: 0,
            override: [(context) => complete(context, latest.current.hints)],
            icons: false,
          }),
          placeholderText(placeholder),
          EditorView.lineWrapping,
          theme,
          attributes.current.of(latest.current.names),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    if (latest.current.typing) editor.focus();
    if (latest.current.typing?.hasTyped === true) startCompletion(editor);
    return () => editor.destroy();
  }, [placeholder]);
  useEffect(() => {
    view.current?.dispatch({ effects: attributes.current.reconfigure(names) });
  }, [names]);
  return <div ref={host} />;
}

const operators: readonly Completion[] = ['&&', '||', '==', '!=', '<', '<=', '>', '>=', 'in'].map(
  (label) => ({ label }),
);

/** Attributes after `item`, and an attribute's values inside quotation marks. */
function complete(context: CompletionContext, hints: readonly AttributeHint[]) {
  const before = context.state.sliceDoc(0, context.pos);
  const quoted = /"([^"]*)$/.exec(before);
  if (quoted && before.split('"').length % 2 === 0) {
    const options = valueHints(before, hints).map((value) => ({
      label: value,
      apply: value.replaceAll('"', '\\"'),
    }));
    return { from: context.pos - (quoted[1]?.length ?? 0), options, validFor: /^[^"]*$/ };
  }
  const word = context.matchBefore(/item(?:\.\w*)?|\w+/);
  if (!word && !context.explicit) return null;
  const paths = hints.map(({ name, kind }) => ({
    label: attributePath(name),
    detail: kind,
    type: 'property',
  }));
  return { from: word?.from ?? context.pos, options: [...paths, ...operators], validFor: /^[\w.]*$/ };
}

/** The values of the attribute that the quoted text is compared with; of all attributes if it comes first. */
function valueHints(before: string, hints: readonly AttributeHint[]): string[] {
  const compared = hints.find(({ name }) =>
    new RegExp(`${escape(attributePath(name))}\\s*(?:==|!=)\\s*"[^"]*$`).test(before),
  );
  const candidates = compared ? [compared] : hints.filter(({ kind }) => kind === 'list' || kind === 'text');
  return [...new Set(candidates.flatMap(({ values }) => values))];
}

const escape = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
