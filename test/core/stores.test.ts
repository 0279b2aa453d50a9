import { resolveStoreLimits } from '../../src/core/storage/store-limits.ts'
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/core/config/load-config.ts'
import { executeEntry } from '../../src/core/methods/execute-skill/handler.ts'
import { createRuntime } from '../../src/core/runtime.ts'
import { deriveSessionKey } from '../../src/core/skill-context/session-key.ts'
import {
  DEFAULT_AGENT,
  listLoadedSkills,
  getAgentLoads,
} from '../../src/core/skill-context/session-state.ts'
import { readEntryAt } from '../../src/core/skills/repository/open-repository.ts'
import { verifyAudit } from '../../src/core/audit/verify-audit.ts'
import { createMemoryAudit } from '../helpers/memory/audit.ts'
import { createMemoryBlobStore } from '../helpers/memory/blob-store.ts'
import { createMemoryGrants } from '../helpers/memory/grants.ts'
import { createMemoryOutputStore } from '../helpers/memory/output-store.ts'
import { createMemoryRunStore } from '../helpers/memory/run-store.ts'
import { createMemorySessionStore } from '../helpers/memory/session-store.ts'
import { createFolder } from '../helpers/skills.ts'

const SKILL = {
  'skill.toml': `name = "test.copy"
version = "0.1.0"
description = "x"
kind = "action"
[permissions]
secrets = ["API_KEY"]
[runtime]
language = "python"
entrypoint = "code/main.py"
export = "main"
`,
  'code/main.py': `import os
from runtime import blobs

def main(args):
    print("copied")
    length = len(os.environ["API_KEY"])
    return blobs.write_text(f"{blobs.read_text(args['from'])}, {length} characters")
`,
}

/** A runtime with in-memory stores, and a data folder that must stay unchanged. */
async function createInMemoryRuntime() {
  const data = createFolder()
  const env = { HOME: data, PATH: process.env['PATH'] }
  const flags = { 'directories.data': data }
  const { config } = await loadConfig({ cwd: data, env, file: undefined, noFiles: true, flags })
  const { log, source } = createMemoryAudit()
  const stores = {
    blobs: createMemoryBlobStore(resolveStoreLimits(config).blobs),
    runs: createMemoryRunStore(resolveStoreLimits(config).runs),
    outputs: createMemoryOutputStore(resolveStoreLimits(config).outputs),
    sessions: createMemorySessionStore({}),
    grants: createMemoryGrants(),
  }
  const runtime = createRuntime({
    config,
    cacheDir: null,
    stores: {
      blobs: async () => stores.blobs,
      runs: async () => stores.runs,
      outputs: async () => stores.outputs,
      sessions: async () => stores.sessions,
      grants: async () => stores.grants,
      audit: async () => log,
      auditSource: async () => source,
      secrets: async () => ({ values: async () => new Map([['API_KEY', 'hunter2-hunter']]) }),
    },
  })
  return { data, runtime, call: { cwd: data, env: { PATH: process.env['PATH'] } } }
}

describe('a runtime with in-memory stores', () => {
  it('runs a skill with blobs, and records and audits it', async () => {
    const { data, runtime, call } = await createInMemoryRuntime()
    const { blob_id: id } = await runtime.createBlob({ content: 'original', kind: 'text/plain' })
    const params = {
      entry: await readEntryAt(createFolder(SKILL)),
      args: { from: id },
      input_blobs: [id],
    }
    const result = await executeEntry(runtime, params, call)
    expect(result.status).toBe('completed')
    const copy = await runtime.readBlob({ blob_id: result.output as string })
    expect(copy.content).toBe('original, 14 characters')
    const record = await (await runtime.runs()).get(result.run_id)
    expect(record).toMatchObject({ status: 'completed', blobs: [{ blob_id: result.output }] })
    const found = await runtime.queryOutput({
      artifactHandle: result.run_id,
      queryTerms: ['copied'],
    })
    expect(JSON.stringify(found)).toContain('copied')
    const report = await verifyAudit(await runtime.auditSource())
    expect(report).toMatchObject({ records: 2, problems: [] })
    expect(readdirSync(data)).toEqual([])
  })

  it('stores the output of a program, and the loads of a session', async () => {
    const { data, runtime, call } = await createInMemoryRuntime()
    const code = 'for n in range(20_000): print("line", n)'
    const { artifactHandle } = await runtime.execute({ runtime: 'python', code }, call)
    const query = { artifactHandle: artifactHandle as string, queryTerms: ['line 12345'] }
    expect(JSON.stringify(await runtime.queryOutput(query))).toContain('line 12345')
    await runtime.skillLoad({ session: 's', skill: 'skills.protocol.guide' })
    const state = await (await runtime.sessions()).read(deriveSessionKey('s', undefined))
    expect(listLoadedSkills(getAgentLoads(state, DEFAULT_AGENT))).toEqual(['skills.protocol.guide'])
    expect(readdirSync(data)).toEqual([])
  })
})
