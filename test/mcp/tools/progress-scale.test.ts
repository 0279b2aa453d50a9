import { expect, it } from 'vitest'
import { ProgressScale } from '../../../src/mcp/tools/progress-notifier.ts'

const RUNNING = 2

it('values increase over phases, repetitions and several series of steps', () => {
  const scale = new ProgressScale()
  const sent = [
    scale.enterPhase(0),
    scale.enterPhase(1),
    scale.repeat(),
    scale.enterPhase(RUNNING),
    scale.reportSteps(1, 10),
    scale.reportSteps(1, 10),
    scale.repeat(),
    scale.reportSteps(10, 10),
    scale.reportSteps(0, 0.5),
    scale.reportSteps(0.5, 0.5),
    scale.reportSteps(0.1, 0.5),
    scale.enterPhase(3),
    scale.repeat(),
    scale.enterPhase(4),
  ]
  sent.forEach(({ progress, total }, index) => {
    expect(progress).toBeGreaterThan(sent[index - 1]?.progress ?? -1)
    expect(progress).toBeLessThanOrEqual(total)
  })
  expect(sent.at(-1)?.progress).toBe(sent.at(-1)?.total)
})

it('steps of the code determine the ratio', () => {
  const scale = new ProgressScale()
  for (const phase of [0, 1, RUNNING]) scale.enterPhase(phase)
  expect(scale.reportSteps(50, 100)).toEqual({ progress: 52, total: 104 })
  expect(scale.enterPhase(3)).toEqual({ progress: 103, total: 104 })
})
