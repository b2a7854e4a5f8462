import type { Handler } from '../../http/handlers.ts';
import { questionNames, questions } from '../questions/registry.ts';
import { type ServerContext, serve } from './serve.ts';

type QuestionName = (typeof questionNames)[number];
type QuestionHandlers = { readonly [Name in QuestionName]: Handler<Name> };

/** The handlers of all questions. */
export function questionHandlers(server: ServerContext): QuestionHandlers {
  const handlerOf = <Name extends QuestionName>(name: Name): Handler<Name> => {
    const question = questions[name];
    return (caller, request) => serve(server, name, question, caller, request);
  };
  const handlers = questionNames.map((name) => [name, handlerOf(name)]);
  return Object.fromEntries(handlers) as QuestionHandlers;
}
