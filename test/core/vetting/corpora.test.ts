import { describe, expect, it } from 'vitest'
import { vetFolder, type VetReport } from '../../../src/core/vetting/index.ts'
import { createFolder } from '../../helpers/skills.ts'
import { plantCorpus, type PlantedSkill } from '../../helpers/vetting-corpus.ts'

type VettedSkill = PlantedSkill & { report: VetReport }

function vetCorpus(kind: 'attacks' | 'innocents'): VettedSkill[] {
  return plantCorpus(kind, createFolder()).map((skill) => ({
    ...skill,
    report: vetFolder(skill.dir),
  }))
}

const isFlagged = ({ report }: VettedSkill) => report.verdict !== 'nothing found'
const isDangerous = ({ report }: VettedSkill) => report.verdict === 'dangerous'
/** Lines between a finding and the place that a reader marked. */
const NEAR = 3

function isAtPlace({ report, harm }: VettedSkill): boolean {
  return report.findings.some(
    ({ severity, file, start }) =>
      severity !== 'info' &&
      harm.some((each) => each.file === file && Math.abs(each.line - (start?.line ?? 0)) <= NEAR),
  )
}

describe('attacks of the corpus', () => {
  it('at least 90 % are found by reading, nine of ten at the place of the harm', () => {
    const attacks = vetCorpus('attacks')
    const found = attacks.filter(isFlagged)
    const marked = found.filter(({ harm }) => harm.length > 0)
    const placed = marked.filter(isAtPlace)
    const missed = attacks.filter((each) => !isFlagged(each)).map(({ name }) => name)
    process.stdout.write(
      `attacks: ${attacks.length}, found ${found.length}, dangerous ${attacks.filter(isDangerous).length}, at the place ${placed.length} of ${marked.length}\n`,
    )
    expect(attacks.length).toBeGreaterThanOrEqual(700)
    expect(found.length / attacks.length, missed.join()).toBeGreaterThanOrEqual(0.9)
    expect(placed.length / marked.length).toBeGreaterThanOrEqual(0.9)
  })
})

describe('innocent skills of the corpus', () => {
  it('none is dangerous, and at most 5 % are suspicious', () => {
    const innocents = vetCorpus('innocents')
    const flagged = innocents.filter(isFlagged)
    process.stdout.write(
      `innocents: ${innocents.length}, suspicious: ${flagged.map(({ name }) => name).join() || 'none'}\n`,
    )
    expect(innocents.length).toBeGreaterThanOrEqual(400)
    expect(innocents.filter(isDangerous).map(({ name }) => name)).toEqual([])
    expect(flagged.length / innocents.length).toBeLessThanOrEqual(0.05)
  })
})
