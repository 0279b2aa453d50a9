import { memoize } from '../../../util/memoize.ts'
import type { LintedSkill } from '../rule.ts'
import { readTextFiles } from '../skill-facts.ts'
import { findSecrets, type FoundSecret } from './find-secrets.ts'

/** Shows enough to find a secret, too little to use it. */
export function maskSecret(secret: string): string {
  return `${secret.slice(0, 4)}\u2026`
}

/** Secrets in the text files of a skill, found once for all rules and messages. */
export const findSkillSecrets: (
  skill: LintedSkill,
) => readonly { file: string; secrets: readonly FoundSecret[] }[] = memoize((skill) => {
  const found: { file: string; secrets: readonly FoundSecret[] }[] = []
  for (const { file, text } of readTextFiles(skill)) {
    const secrets = findSecrets(file, text)
    if (secrets.length > 0) found.push({ file, secrets })
  }
  return found
})

/** Characters of a value that identify it in a message, which may truncate it. */
const MIN_PREFIX = 8

/** Masks the secrets of a skill in a message. */
export function maskMessage(skill: LintedSkill, text: string): string {
  let masked = text
  for (const { secrets } of findSkillSecrets(skill)) {
    for (const { value } of secrets) masked = maskValue(masked, value)
  }
  return masked
}

function maskValue(text: string, value: string): string {
  const prefix = value.slice(0, MIN_PREFIX)
  const short = maskSecret(value)
  let masked = text
  for (let at = masked.indexOf(prefix); at !== -1; at = masked.indexOf(prefix, at + short.length)) {
    let end = at + prefix.length
    while (end < masked.length && masked[end] === value[end - at]) end += 1
    if (end - at > 4) masked = `${masked.slice(0, at)}${short}${masked.slice(end)}`
  }
  return masked
}

/** Masks the secrets in the text of a file. Its length remains, so that columns are right. */
export function maskSource(path: string, text: string): string {
  const parts: string[] = []
  let from = 0
  for (const { span } of findSecrets(path.slice(path.lastIndexOf('/') + 1), text)) {
    const start = Math.min(span.start + 4, span.end)
    parts.push(text.slice(from, start), text.slice(start, span.end).replace(/\S/g, '*'))
    from = span.end
  }
  return from === 0 ? text : parts.join('') + text.slice(from)
}

/** Masks the secrets in both texts of a change. */
export function maskChange({
  path,
  before,
  after,
}: {
  path: string
  before: string | undefined
  after: string | undefined
}): { before: string | undefined; after: string | undefined } {
  const mask = (text: string | undefined) => (text === undefined ? text : maskSource(path, text))
  return { before: mask(before), after: mask(after) }
}
