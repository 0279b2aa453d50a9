/**
 * Reads a skill as a model and a machine read it, and reports what can harm its user. Lint reports
 * it as the rules `safety/`; `skills vet` bases its verdict on it. Nothing is executed.
 */
import { memoize } from '../../util/memoize.ts'
import { createSignal, readCode } from './code/read-code.ts'
import { findListedPackages } from './code/packages.ts'
import { judgeSignals } from './judge.ts'
import { readFrames } from './prose/read-frames.ts'
import { readProse } from './prose/read-prose.ts'
import { isBadExample } from './prose/quotation.ts'
import type { Passage } from './texts/passage.ts'
import type { SafetyReading, SafetySource } from './safety-finding.ts'
import type { Signal } from './signal.ts'
import { findObstacle, readFilePassages, type CutFile } from './texts/list-passages.ts'

export type { SafetyCertainty, SafetyClass } from './safety-finding.ts'

/** Reads all files of a skill; computed once for all rules. */
export const readSafety: (skill: SafetySource) => SafetyReading = memoize((skill) => {
  const signals: Signal[] = []
  const read: string[] = []
  const notRead: { path: string; reason: string }[] = []
  for (const file of skill.files) {
    if (file.type === 'directory') continue
    const obstacle = findObstacle(file, read.length)
    const text = obstacle === undefined ? skill.read(file.path) : undefined
    if (text === undefined || text.includes('\0')) {
      notRead.push({ path: file.path, reason: obstacle ?? 'it is not text' })
      continue
    }
    read.push(file.path)
    signals.push(...readSignals(skill, readFilePassages(skill, file.path, text)))
  }
  if (skill.filesCut)
    notRead.push({
      path: '.',
      reason: 'the folder has too many files to list',
    })
  return { findings: judgeSignals(signals), read, notRead }
})

function readSignals(skill: SafetySource, file: CutFile): Signal[] {
  return [
    ...file.prose.flatMap((passage) => readProse(skill, passage)),
    ...file.code.flatMap((passage) => readCode(skill, passage)),
    ...readFrames(skill, file.prose),
    ...file.prose.flatMap((passage) => findHiddenText(skill, passage)),
    ...findBrokenWords(file),
    ...file.code
      .slice(0, 1)
      .flatMap((context) =>
        findListedPackages(file.path, file.text).map((each) =>
          createSignal({ ...context, skill }, each),
        ),
      ),
  ]
}

/** Words of Latin letters with invisible characters in between, in a row. */
const BROKEN_WORDS = /(?:[A-Za-z][\u200B-\u200D\u2060\uFEFF]){4,}[A-Za-z]?[^\n]{0,400}/

/** Words that no search finds. */
function findBrokenWords({ path, text }: CutFile): Signal[] {
  const found = BROKEN_WORDS.exec(text)
  if (!found) return []
  return [
    {
      class: 'hidden-text',
      severity: 'warning',
      certainty: 'certain',
      file: path,
      start: found.index,
      end: found.index + found[0].length,
      message:
        'Invisible characters stand between the letters of words, so that no search finds them',
      help: 'Remove them, or ask the author why the words must not be found',
      hiding: undefined,
    },
  ]
}

/** Words in characters that people do not see. */
function findHiddenText(skill: SafetySource, passage: Passage): Signal[] {
  if (passage.hiding !== 'invisible') return []
  const text = passage.text.replace(/\s+/g, ' ').slice(0, 80)
  return [
    {
      class: 'hidden-text',
      severity: isBadExample(skill, passage) ? 'info' : 'warning',
      certainty: 'certain',
      file: passage.file,
      ...passage.toSpan(0, passage.text.length),
      message: `Invisible characters spell "${text}"`,
      help: 'Remove them, or ask the author why people must not see the text',
      hiding: undefined,
    },
  ]
}
