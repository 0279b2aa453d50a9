// @module-tag slow
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { bootVersion2, KERNEL, type StepResults } from './boot.ts'

const why = KERNEL ? '' : ' (not run: install user-mode-linux, or name one in SKILLS_TEST_KERNEL)'

describe.skipIf(!KERNEL)(`control groups of version 2, in a kernel of their own${why}`, () => {
  let results: StepResults
  beforeAll(async () => {
    const dir = mkdtempSync(join(tmpdir(), 'skills-kernel-'))
    results = await bootVersion2(dir)
    if (Object.keys(results).length === 0) throw new Error(`The kernel printed nothing; see ${dir}`)
    rmSync(dir, { recursive: true, force: true })
  }, 600_000)

  const bounded = {
    kind: 'cgroup2',
    memory: { hit: true, total: false, cpuMs: expect.any(Number) },
    members: 20,
    isGone: true,
  }

  it('limit memory and processes, and kill all members', () => {
    expect(results['top']).toMatchObject(bounded)
    expect(results['top']?.['refused']).toBeGreaterThan(0)
    expect(results['top']?.['where']).toMatch(/^\/sys\/fs\/cgroup\/skills\.runs\/skills\./)
  })

  it('count processor time', () => {
    const memory = results['top']?.['memory'] as { cpuMs: number } | undefined
    expect(memory?.cpuMs).toBeGreaterThan(0)
  })

  it('get a lower weight for each reason, which is never raised but for another run', () => {
    expect(results['weights']).toMatchObject({ weights: [100, 25, 6, 6, 100] })
  })

  it('distinguish the total limit from that of one run', () => {
    expect(results['total']?.['memory']).toMatchObject({ hit: true, total: true })
  })

  it('are created in the own group of a process that is alone in it, which moves into a leaf', () => {
    expect(results['alone']).toMatchObject(bounded)
    expect(results['alone']?.['where']).toMatch(/^\/sys\/fs\/cgroup\/alone\/skills\.runs\//)
    expect(results['alone']?.['own']).toMatch(/^0::\/alone\/skills\..*\.self$/)
  })

  it('are created further up if other processes share the group', () => {
    expect(results['crowded']).toMatchObject(bounded)
    expect(results['crowded']?.['where']).toMatch(/^\/sys\/fs\/cgroup\/skills\.runs\//)
  })

  it('are not created by an ordinary user without delegation', () => {
    expect(results['undelegated']).toMatchObject({ group: null })
  })

  it('are created by an ordinary user below a delegated group', () => {
    expect(results['given']).toMatchObject(bounded)
    expect(results['given']?.['where']).toMatch(
      /^\/sys\/fs\/cgroup\/given\/(?:first|again|more)\/skills\.runs\//,
    )
    expect(results['beside']).toMatchObject(bounded)
    expect(results['beside']?.['where']).toMatch(/^\/sys\/fs\/cgroup\/given\/skills\.runs\//)
  })

  it('make the runs of an ordinary user strict', () => {
    expect(results['run']).toMatchObject({
      fine: { status: 'completed', tier: 'strict' },
      eats: { error: 'MemoryLimit', limits: { memory: 'cgroup2', cpu: 'cgroup2' } },
    })
  })
})
