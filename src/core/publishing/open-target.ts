import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { TARGET_KINDS } from '../sources/index.ts'
import type { TargetKind, TargetOptions, OpenTargetRequest } from '../sources/source-kind.ts'
import type { PublishTarget } from './targets/publish-target.ts'

/** Opens the target of a text, such as `npm:@scope/package`. */
export async function openTarget(
  text: string | undefined,
  request: Omit<OpenTargetRequest, 'text' | 'rest'>,
): Promise<PublishTarget> {
  const examples = TARGET_KINDS.flatMap(({ schemes }) => Object.values(schemes)).join(', ')
  if (text === undefined) {
    throw new SkillsError('usage/invalid', 'Missing the target of the publication', {
      hint: `Add --to <target>, such as ${examples}`,
    })
  }
  const { kind, rest } = findTarget(text)
  if (kind && (rest !== '' || kind.isPlaceless)) return await kind.open({ ...request, text, rest })
  // A URL can have a password.
  const shown = toPrintable(text.replace(/\/\/[^/]*@/, '//…@').slice(0, 200))
  throw new SkillsError('usage/invalid', `"${shown}" is not a target of publications`, {
    hint: `Write it as one of ${examples}`,
  })
}

/** An option that has no effect on the target; undefined if there is none. */
export function findForeignOption(
  text: string,
  options: TargetOptions,
): keyof TargetOptions | undefined {
  const { kind: own } = findTarget(text)
  const others = TARGET_KINDS.filter((kind) => kind !== own).flatMap((kind) => kind.options)
  return others.find((name) => options[name] !== undefined)
}

function findTarget(text: string): { kind: TargetKind | undefined; rest: string } {
  for (const kind of TARGET_KINDS) {
    // A target without a place can omit the colon.
    const typed = kind.isPlaceless ? text.replace(/^\w+$/, '$&:') : text
    const scheme = Object.keys(kind.schemes).find((each) => typed.startsWith(each))
    if (scheme !== undefined) return { kind, rest: text.slice(scheme.length) }
  }
  return { kind: undefined, rest: '' }
}
