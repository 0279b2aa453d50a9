import { expect, it } from 'vitest'
import { vetFolder } from '../../../src/core/vetting/index.ts'
import { createFolder } from '../../helpers/skills.ts'
import { plantCorpus } from '../../helpers/vetting-corpus.ts'

function vetCorpus(kind: 'attacks' | 'innocents') {
  const planted = plantCorpus(kind, createFolder())
  return [...planted].map(([name, dir]) => ({ ...vetFolder(dir), name }))
}

it('at least 95 % of the attacks of the corpus are found by reading', () => {
  const attacks = vetCorpus('attacks')
  const missed = attacks.filter(({ verdict }) => verdict === 'nothing found')
  const recall = 1 - missed.length / attacks.length
  process.stdout.write(
    `attacks: ${attacks.length}, found ${(recall * 100).toFixed(1)} %, dangerous ${attacks.filter(({ verdict }) => verdict === 'dangerous').length}\n`,
  )
  expect(attacks.length).toBeGreaterThanOrEqual(100)
  expect(recall, missed.map(({ name }) => name).join()).toBeGreaterThanOrEqual(0.95)
})

it('no innocent skill of the corpus is dangerous, and at most 5 % are suspicious', () => {
  const innocents = vetCorpus('innocents')
  const flagged = innocents.filter(({ verdict }) => verdict !== 'nothing found')
  process.stdout.write(
    `innocents: ${innocents.length}, not found innocent: ${flagged.map(({ name }) => name).join() || 'none'}\n`,
  )
  expect(innocents.length).toBeGreaterThanOrEqual(100)
  expect(flagged.filter(({ verdict }) => verdict === 'dangerous').map(({ name }) => name)).toEqual(
    [],
  )
  expect(flagged.length / innocents.length).toBeLessThanOrEqual(0.05)
})
