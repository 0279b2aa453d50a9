import type { IndexAnswer } from '../../core/searching/ask-indexes.ts'
import { toPrintable } from '../../util/printable.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import type { Context } from '../context.ts'
import { formatTable } from '../ui/table.ts'
import type { FoundSkill } from './found-skill.ts'

interface SearchResult {
  query: string
  skills: readonly FoundSkill[]
  total: number
  answers: readonly IndexAnswer[]
}

/** Prints what was found. Texts of indexes cannot control the terminal. */
export function printSearch(context: Context, result: SearchResult): void {
  if (context.global.json) context.document('skills.search/v1', toSearchDocument(result))
  else printTable(context, result)
  for (const answer of result.answers) {
    for (const notice of describeAnswer(answer)) context.note(toPrintable(notice))
  }
}

function toSearchDocument({ query, skills, total, answers }: SearchResult): object {
  return {
    query,
    total,
    skills: skills.map(({ name, version, description, tags, origin, source, vet }) => ({
      name,
      version: version ?? null,
      description,
      tags,
      origin,
      install: source ?? null,
      vet: vet ?? null,
    })),
    indexes: answers.map((answer) =>
      'problem' in answer
        ? { index: answer.index, ok: false, problem: answer.problem.message }
        : {
            index: answer.index,
            ok: true,
            skills: answer.content.skills.length,
            invalid: answer.content.invalid,
            repeated: answer.content.repeated,
          },
    ),
  }
}

function printTable(context: Context, { skills, total, answers }: SearchResult): void {
  const { style } = context
  const isTerminal = context.stdout.isTTY === true
  const rows = skills.map(({ name, version, description, origin, source }) => [
    toPrintable(name),
    toPrintable(version ?? '-'),
    toPrintable(source === undefined ? origin : quoteShellWord(source)),
    toPrintable(description),
  ])
  if (rows.length > 0) {
    const columns = isTerminal ? context.columns : Infinity
    context.print(formatTable(rows, { columns, paint: [style.cyan, style.dim, style.dim] }))
  }
  for (const { name, vet = 'nothing found' } of skills) {
    if (vet === 'nothing found') continue
    context.note(toPrintable(`${name} is ${vet}: type "skills vet ${quoteShellWord(name)}"`))
  }
  if (total > skills.length) context.note(`${total - skills.length} more; add words to narrow them`)
  const source = skills.find((each) => each.source !== undefined)?.source
  if (source !== undefined) {
    const word = quoteShellWord(toPrintable(source))
    context.note(
      `Type "skills info ${word}" to see what it may do, "skills install ${word}" to install it`,
    )
  }
  if (rows.length === 0) context.note('No skill matches these words')
  if (answers.length === 0) {
    context.note('No index is configured; add sites to "indexes" in skills.config.toml')
  }
}

function describeAnswer(answer: IndexAnswer): string[] {
  if ('problem' in answer) return [`Not asked: ${answer.problem.message}`]
  const { invalid, repeated } = answer.content
  return [
    ...(invalid > 0 ? [`${answer.index}: entries without a valid name, left out: ${invalid}`] : []),
    ...(repeated.length > 0
      ? [
          `${answer.index}: names more than once: ${repeated.slice(0, 10).join(', ')}; the first entry is shown`,
        ]
      : []),
  ]
}
