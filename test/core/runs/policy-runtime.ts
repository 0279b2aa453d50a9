import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditRecord } from '../../../src/core/audit/audit-record.ts'
import type { ExecuteParams } from '../../../src/core/methods/runtime-execute/definition.ts'
import type { RunCall } from '../../../src/core/runs/run-call.ts'
import { createFolder, writeTree, type Tree } from '../../helpers/skills.ts'
import { readLines, readRecords } from '../audit/entries.ts'
import { createRuntimeIn } from './run-warm.ts'

/** A runtime with a policy, a registered repository, and a readable audit log. */
export async function createPolicyRuntime(
  policy: string,
  { settings = {}, tree = {} }: { settings?: Record<string, unknown>; tree?: Tree } = {},
) {
  const data = createFolder({ '.config/skills/policy.toml': policy })
  const repository = createFolder({ 'src/x': '', ...tree })
  const runtime = await createRuntimeIn(data, {
    repositories: { app: { path: repository, mode: 'read-write' } },
    ...settings,
  })
  const call = { cwd: data, env: { PATH: process.env['PATH'] } }
  return {
    runtime,
    data,
    repository,
    call,
    /** `runtime.execute` of a program in the repository. */
    execute: async (params: Partial<ExecuteParams>, more: Partial<RunCall> = {}) =>
      await runtime.execute({ runtime: 'shell', repoId: 'app', ...params }, { ...call, ...more }),
    audited: (): AuditRecord[] => readRecords(join(data, 'audit')),
    auditText: () => readLines(join(data, 'audit')).join('\n'),
    wrote: (name: string) => readFileSync(join(repository, name), 'utf8'),
  }
}

/** An approval program of the operator. */
export function createApprover(text: string): string {
  const dir = createFolder()
  writeTree(dir, { hook: `#!/bin/sh\n${text}\n` })
  chmodSync(join(dir, 'hook'), 0o755)
  return join(dir, 'hook')
}
