import { once } from '../../../util/once.ts'
import type { Phrase } from './family.ts'

/** Forms that no rule gives. */
const IRREGULAR: Readonly<Record<string, string>> = {
  send: 'sends sent sending',
  put: 'puts putting',
  write: 'writes wrote written writing',
  leave: 'leaves left leaving',
  read: 'reads reading',
  take: 'takes took taken taking',
  find: 'finds found finding',
  hold: 'holds held holding',
  go: 'goes went gone going',
  get: 'gets got gotten getting',
  set: 'sets setting',
  run: 'runs ran running',
  buy: 'buys bought buying',
  pay: 'pays paid paying',
  give: 'gives gave given giving',
  withdraw: 'withdraws withdrew withdrawn withdrawing',
  hide: 'hides hid hidden hiding',
}

/** All forms of regular and some irregular verbs. */
export function inflect(verbs: string): string[] {
  return verbs.split(/\s+/).filter(Boolean).flatMap(listForms)
}

function listForms(verb: string): string[] {
  const irregular = IRREGULAR[verb]
  if (irregular !== undefined) return [verb, ...irregular.split(' ')]
  if (verb.endsWith('e')) return [verb, `${verb}s`, `${verb}d`, `${verb.slice(0, -1)}ing`]
  if (/[^aeiou]y$/.test(verb)) {
    const stem = verb.slice(0, -1)
    return [verb, `${stem}ies`, `${stem}ied`, `${verb}ing`]
  }
  const doubled = /[^aeiou][aeiou][bdfglmnprt]$/.test(verb) ? verb + verb.at(-1) : verb
  const plural = /(?:s|x|sh|ch)$/.test(verb) ? `${verb}es` : `${verb}s`
  const forms = [verb, plural, `${verb}ed`, `${verb}ing`]
  return doubled === verb ? forms : [...forms, `${doubled}ed`, `${doubled}ing`]
}

/** A phrase of several parts, compiled when a text may have it first: most texts have few. */
export function compilePhrase(...parts: readonly string[]): Phrase {
  const compile = once(() => new RegExp(`\\b(?:${parts.join('|')})`, 'i'))
  return { exec: (text) => compile().exec(text) }
}
