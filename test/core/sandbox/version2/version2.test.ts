import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { bootVersion2, KERNEL, type StepResults } from './boot.ts'

const why = KERNEL ? '' : ' (not run: SKILLS_TEST_KERNEL names no User Mode Linux to boot)'

describe.skipIf(!KERNEL)(`control groups of version 2, in a kernel of their own${why}`, () => {
  let said: StepResults
  beforeAll(async () => {
    const dir = mkdtempSync(join(tmpdir(), 'skills-kernel-'))
    said = await bootVersion2(dir)
    if (Object.keys(said).length === 0) throw new Error(`The kernel said nothing; see ${dir}`)
    rmSync(dir, { recursive: true, force: true })
  }, 300_000)

  const bounded = {
    kind: 'cgroup2',
    memory: { hit: true, total: false, cpuMs: expect.any(Number) },
    members: 20,
    isGone: true,
  }

  it('limit memory and processes, and kill all members', () => {
    expect(said['top']).toMatchObject(bounded)
    expect(said['top']?.['refused']).toBeGreaterThan(0)
    expect(said['top']?.['where']).toMatch(/^\/sys\/fs\/cgroup\/skills\.runs\/skills\./)
  })

  it('count processor time', () => {
    const memory = said['top']?.['memory'] as { cpuMs: number } | undefined
    expect(memory?.cpuMs).toBeGreaterThan(0)
  })

  it('distinguish the total limit from that of one run', () => {
    expect(said['total']?.['memory']).toMatchObject({ hit: true, total: true })
  })

  it('are created in the own group of a process that is alone in it, which moves into a leaf', () => {
    expect(said['alone']).toMatchObject(bounded)
    expect(said['alone']?.['where']).toMatch(/^\/sys\/fs\/cgroup\/alone\/skills\.runs\//)
    expect(said['alone']?.['own']).toMatch(/^0::\/alone\/skills\..*\.self$/)
  })

  it('are created further up if other processes share the group', () => {
    expect(said['crowded']).toMatchObject(bounded)
    expect(said['crowded']?.['where']).toMatch(/^\/sys\/fs\/cgroup\/skills\.runs\//)
  })

  it('are not created by an ordinary user without delegation', () => {
    expect(said['undelegated']).toMatchObject({ group: null })
  })

  it('are created by an ordinary user below a delegated group', () => {
    expect(said['given']).toMatchObject(bounded)
    expect(said['given']?.['where']).toMatch(
      /^\/sys\/fs\/cgroup\/given\/(?:first|again)\/skills\.runs\//,
    )
    expect(said['beside']).toMatchObject(bounded)
    expect(said['beside']?.['where']).toMatch(/^\/sys\/fs\/cgroup\/given\/skills\.runs\//)
  })

  it('make the runs of an ordinary user strict', () => {
    expect(said['run']).toMatchObject({
      fine: { status: 'completed', tier: 'strict' },
      eats: { error: 'MemoryLimit', limits: { memory: 'cgroup2', cpu: 'cgroup2' } },
    })
  })
})
