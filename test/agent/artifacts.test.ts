// @module-tag slow
import { describe, expect, it } from 'vitest'
import { localHost } from '../../src/agent/local-host.ts'
import { createAgentSession } from '../../src/agent/session.ts'
import type { AgentSessionOptions } from '../../src/agent/session-options.ts'
import type { SavedSessionArtifact } from '../../src/agent/session-artifacts.ts'
import { createRuntime } from '../../src/core/runtime.ts'
import { callTool, createTestRuntime, SKILL_TOOLS } from '../helpers/agent.ts'

const BYTES = Buffer.from([0, 1, 2, 255])

async function openSession(options: Partial<AgentSessionOptions> = {}) {
  const { runtime, dir } = await createTestRuntime()
  const call = { cwd: dir, env: { PATH: process.env['PATH'] } }
  const open = (more: Partial<AgentSessionOptions> = {}, caller?: string) => {
    // Another runtime over the same data directory, as after a restart.
    const restarted = createRuntime({ config: runtime.config, cacheDir: null })
    const host = localHost(restarted, { call: { ...call, caller: { name: caller } } })
    return createAgentSession({
      host,
      tools: 'agent',
      requireLoaded: false,
      ...options,
      ...more,
    })
  }
  return { session: open(), open }
}

async function save(session: ReturnType<typeof createAgentSession>, path: string, name?: string) {
  const content = `content of ${name ?? path}`
  await callTool(session, 'workspace_write', { path, content })
  return await callTool(session, 'workspace_save_artifact', { path, ...(name && { name }) })
}

describe('artifacts of a session', () => {
  it('are in the answer and reach onArtifact once, with their call', async () => {
    const seen: SavedSessionArtifact[] = []
    const { session } = await openSession({ onArtifact: (artifact) => void seen.push(artifact) })
    const answer = await save(session, 'out/a.txt')
    const artifact = {
      name: 'out/a.txt',
      version: 0,
      ref: 'artifact://out/a.txt@0',
      mimeType: 'text/plain',
      sizeBytes: 20,
    }
    expect(answer.artifacts).toEqual([artifact])
    expect(seen).toEqual([
      { ...artifact, agent: 'default', tool: 'workspace_save_artifact', call: answer.id },
    ])
    expect(answer.text).toContain('"ref":"artifact://out/a.txt@0"')
  })

  it('of a command have refs, and a poll of its end does not repeat them', async () => {
    const seen: string[] = []
    const { session } = await openSession({
      tools: SKILL_TOOLS,
      onArtifact: ({ ref }) => void seen.push(ref),
    })
    const saves = { output_files: ['out/*'], save_as_artifacts: true }
    const ran = await callTool(session, 'skill_run', {
      skill: 'demo',
      command: 'printf hi > out/b.txt',
      ...saves,
    })
    expect(ran.value).toMatchObject({
      artifact_files: [
        {
          name: 'out/b.txt',
          version: 0,
          ref: 'artifact://out/b.txt@0',
          mime_type: 'text/plain',
          size_bytes: 2,
        },
      ],
    })
    const started = await callTool(session, 'skill_exec', {
      skill: 'demo',
      command: 'true',
      yield_ms: 20_000,
      ...saves,
    })
    const { session_id: id } = started.value as { session_id: string }
    await callTool(session, 'skill_poll_session', { session_id: id })
    expect(seen).toEqual(['artifact://out/b.txt@0', 'artifact://out/b.txt@1'])
  })

  it('are listed and fetched after a restart', async () => {
    const { session, open } = await openSession()
    await save(session, 'out/a.txt')
    await save(session, 'out/a.txt')
    const command =
      'printf "\\000\\001\\002\\377" > out/b.bin; head -c 5000000 /dev/zero | tr "\\0" x > out/c.txt'
    await callTool(session, 'workspace_exec', { command })
    await callTool(session, 'workspace_save_artifact', { path: 'out/b.bin' })
    await callTool(session, 'workspace_save_artifact', { path: 'out/c.txt' })
    const query = { artifactHandle: 'artifact://out/a.txt', queryTerms: ['content'] }
    expect((await callTool(session, 'runtime.queryOutput', query)).value).toMatchObject({
      matchCount: 1,
      excerpts: [{ content: 'content of out/a.txt' }],
    })
    const none = { artifactHandle: 'artifact://out/none' }
    expect((await callTool(session, 'runtime.queryOutput', none)).text).toContain('does not exist')
    const later = open({ state: session.state })
    expect((await later.listArtifacts()).map(({ ref, sizeBytes }) => [ref, sizeBytes])).toEqual([
      ['artifact://out/a.txt@1', 20],
      ['artifact://out/b.bin@0', 4],
      ['artifact://out/c.txt@0', 5_000_000],
    ])
    expect(Buffer.from(await later.readArtifact('artifact://out/b.bin'))).toEqual(BYTES)
    expect(await later.readArtifact('artifact://out/c.txt@0')).toHaveLength(5_000_000)
    expect(String(await later.readArtifact('workspace://out/a.txt'))).toBe('content of out/a.txt')
    await expect(later.readArtifact('artifact://out/d')).rejects.toThrow('does not exist')
  })

  it('whose name begins with user: belong to all sessions of one caller', async () => {
    const { open } = await openSession()
    const first = open({}, 'ada')
    const { value } = await save(first, 'out/a.txt', 'user:profile.txt')
    expect(value).toMatchObject({ ref: 'artifact://user:profile.txt@0' })
    const second = open({}, 'ada')
    expect(second.id).not.toBe(first.id)
    expect((await second.listArtifacts()).map(({ name }) => name)).toEqual(['user:profile.txt'])
    expect(String(await second.readArtifact('artifact://user:profile.txt'))).toContain('profile')
    const inputs = [{ from: 'artifact://user:profile.txt' }]
    const ran = await callTool(open({ tools: SKILL_TOOLS }, 'ada'), 'skill_run', {
      skill: 'demo',
      command: 'cat inputs/*',
      inputs,
    })
    expect(ran.value).toMatchObject({ stdout: 'content of user:profile.txt' })
    for (const caller of ['bob', undefined]) {
      const other = open({ id: first.id }, caller)
      expect(await other.listArtifacts()).toEqual([])
      await expect(other.readArtifact('artifact://user:profile.txt@0')).rejects.toThrow('not exist')
    }
  })

  it('an error of the application in onArtifact is thrown, not given to the model', async () => {
    const { session } = await openSession({
      onArtifact: () => {
        throw new Error('my store is down')
      },
    })
    await callTool(session, 'workspace_write', { path: 'out/a.txt', content: 'a' })
    const saved = callTool(session, 'workspace_save_artifact', { path: 'out/a.txt' })
    await expect(saved).rejects.toThrow('my store is down')
  })
})
