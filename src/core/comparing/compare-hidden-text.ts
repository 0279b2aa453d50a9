import { BIDI } from '../lint/rules/hygiene/bidi-character.ts'
import { CONTROL } from '../lint/rules/hygiene/control-character.ts'
import { findHiddenCharacters } from '../lint/rules/hygiene/hidden-character.ts'
import { LATIN_BY_LOOKALIKE } from '../lint/rules/naming/invalid-name.ts'
import { findMixedScripts } from '../lint/rules/naming/mixed-scripts.ts'
import { formatCodePoint } from '../lint/text-spans.ts'
import { getSecretPath } from '../skills/manifest/secret-use.ts'
import { locate, locateInManifest, type ComparedSide } from './compared-side.ts'
import type { DifferenceCode, DifferencePlace, RawDifference } from './difference.ts'
import type { PlacedFact } from './facts.ts'
import { listTexts } from './list-texts.ts'

/** Characters and names of the second skill that people do not see as they are. */
export function compareHiddenText(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const known = countKeys(listMarks(before))
  const marks = listMarks(after).filter(({ key }) => {
    const count = known.get(key) ?? 0
    known.set(key, count - 1)
    return count <= 0
  })
  return [
    ...marks.map(({ code, subject, path, span }) => ({
      code,
      subject,
      place: path === '' ? undefined : locate(after, path, span),
    })),
    ...compareNames(before, after),
  ]
}

interface HiddenMark extends PlacedFact {
  code: DifferenceCode
}

/** Marks with the line around them as key, so that an old line may move. */
function listMarks({ skill }: ComparedSide): HiddenMark[] {
  const marks: HiddenMark[] = []
  for (const { path, text } of listTexts(skill)) {
    let left = MAX_MARKS
    const add = (code: DifferenceCode, match: RegExpExecArray | RegExpMatchArray): void => {
      left -= 1
      if (left < 0) return
      const start = match.index ?? 0
      const subject = formatCodePoint(match[0])
      const key = `${subject} ${findLine(text, start)}`
      marks.push({ code, subject, key, path, span: { start, end: start + match[0].length } })
    }
    for (const match of text.matchAll(BIDI)) add('hidden-text/bidirectional', match)
    for (const match of findHiddenCharacters(path, text)) add('hidden-text/invisible', match)
    for (const match of text.matchAll(CONTROL)) add('hidden-text/control', match)
  }
  return marks
}

/** Limit on marks of one file; a hostile file can have millions. */
const MAX_MARKS = 1000
const MAX_LINE = 500

function findLine(text: string, at: number): string {
  const start = Math.max(text.lastIndexOf('\n', at) + 1, at - MAX_LINE)
  const end = text.indexOf('\n', at)
  return text.slice(start, Math.min(end === -1 ? text.length : end, at + MAX_LINE)).trim()
}

function countKeys(facts: readonly PlacedFact[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { key } of facts) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

const HIDDEN_IN_NAME = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/u

/** Names that are new: of the skill, its files, inputs, secrets and hosts. */
function compareNames(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const old = new Set(listVisibleNames(before).map(({ name }) => name))
  const plain = new Map(
    listVisibleNames(after)
      .filter(({ name }) => /^[\u0020-\u007E]*$/.test(name))
      .map(({ name }) => [name, name]),
  )
  for (const name of old) if (/^[\u0020-\u007E]*$/.test(name)) plain.set(name, name)
  return listVisibleNames(after).flatMap(({ name, place }): RawDifference[] => {
    if (old.has(name) || /^[\u0020-\u007E]*$/.test(name)) return []
    const hidden = HIDDEN_IN_NAME.exec(name)?.[0]
    if (hidden !== undefined) {
      return [
        { code: 'hidden-text/invisible', subject: name, after: formatCodePoint(hidden), place },
      ]
    }
    const mixed = findMixedScripts(name)
    if (mixed) {
      const letter = `${mixed.letter} (${formatCodePoint(mixed.letter)})`
      return [{ code: 'hidden-text/mixed-scripts', subject: name, after: letter, place }]
    }
    const latin = toLatin(name)
    const imitated = latin === name ? undefined : plain.get(latin)
    return imitated === undefined
      ? []
      : [{ code: 'hidden-text/lookalike-name', subject: name, before: imitated, place }]
  })
}

function listVisibleNames(side: ComparedSide): { name: string; place: DifferencePlace }[] {
  const { manifest } = side.skill
  const front = manifest.frontMatter['name']
  const names = [
    ...(typeof manifest.toml?.['name'] === 'string'
      ? [{ name: manifest.name, key: ['name'] }]
      : []),
    ...Object.keys(manifest.inputs).map((name) => ({ name, key: ['inputs', name] })),
    ...manifest.permissions.secrets.map((name, index) => ({
      name,
      key: getSecretPath(manifest, index),
    })),
    ...manifest.permissions.network.map((name, index) => ({
      name,
      key: ['permissions', 'network', index],
    })),
  ]
  return [
    ...(typeof front === 'string'
      ? [
          {
            name: front,
            place: locate(side, 'SKILL.md', side.skill.markdown?.frontMatter.locate(['name'])),
          },
        ]
      : []),
    ...names.map(({ name, key }) => ({ name, place: locateInManifest(side, key) })),
    ...side.skill.files.map(({ path }) => ({ name: path, place: { side: side.side, path } })),
  ]
}

/** The name with Latin letters instead of those that look like them. */
function toLatin(name: string): string {
  return [...name]
    .map((letter) => LATIN_BY_LOOKALIKE.get(letter) ?? letter)
    .join('')
    .normalize('NFKC')
}
