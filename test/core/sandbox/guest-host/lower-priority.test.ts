import { spawn } from 'node:child_process'
import { getPriority } from 'node:os'
import { expect, it, onTestFinished } from 'vitest'
import type { ControlGroup } from '../../../../src/core/sandbox/cgroups/control-group.ts'
import { lowerPriority } from '../../../../src/core/sandbox/guest-host/lower-priority.ts'

/** Starts a program, lowers its priority, and returns by how much it is nicer than this process. */
function lowerProgram(group: ControlGroup | undefined): number {
  const { pid = 0, ...child } = spawn('sleep', ['60'], { stdio: 'ignore' })
  onTestFinished(() => void process.kill(pid, 'SIGKILL'))
  expect(child).toBeDefined()
  lowerPriority(group, pid)
  return getPriority(pid) - getPriority()
}

/** A control group that is weighted or not. */
function createGroup(isWeighted: boolean): ControlGroup {
  return { lowerPriority: () => isWeighted } as unknown as ControlGroup
}

it('makes a run without a control group nicer', () => {
  expect(lowerProgram(undefined)).toBeGreaterThan(0)
})

it('makes a run nicer whose control group has no weight', () => {
  expect(lowerProgram(createGroup(false))).toBeGreaterThan(0)
})

it('leaves the niceness of a run with a weighted control group', () => {
  expect(lowerProgram(createGroup(true))).toBe(0)
})

it('ignores a process that is dead, and one that is on another machine', () => {
  expect(() => lowerPriority(undefined, 2 ** 22 + 1)).not.toThrow()
  expect(() => lowerPriority(undefined, undefined)).not.toThrow()
})
