import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { RequestLog } from '../../src/server/telemetry/request-log.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'
import { writeTree } from '../helpers/skills.ts'

const tree = prefixPaths('skills/greet', createActionSkill('demo.greet'))

/** A log that records its messages. */
function createRecordingLog() {
  const messages: string[] = []
  const log: RequestLog = {
    write: (level, message, facts) =>
      void messages.push(`${level} ${message} ${JSON.stringify(facts ?? {})}`),
  }
  return { log, said: messages }
}

/** Waits until a condition holds. Edits are detected soon, but without a guaranteed time. */
async function waitUntil(holds: () => Promise<boolean> | boolean): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (await holds()) return
    await sleep(25)
  }
  throw new Error('the condition did not hold in time')
}

const names = async (server: TestServer) => {
  const { skills } = await server.result('list_skills', { namespace: 'demo' })
  return (skills as { name: string; version: string }[]).map(
    (each) => `${each.name}@${each.version}`,
  )
}

async function startWatchedServer() {
  const { log, said: messages } = createRecordingLog()
  const server = await startTestServer({ tree, watch: true, log })
  return { server, said: messages, toml: join(server.dir, 'skills/greet/skill.toml') }
}

describe('a server that watches skills', () => {
  it('detects skills that are added, changed and removed', async () => {
    const { server, said: messages, toml } = await startWatchedServer()
    writeFileSync(
      toml,
      createActionSkill('demo.greet', { version: '0.2.0' })['skill.toml'] as string,
    )
    await waitUntil(async () => (await names(server)).includes('demo.greet@0.2.0'))
    mkdirSync(join(server.dir, 'skills/deep/er'), { recursive: true })
    await sleep(100)
    writeTree(server.dir, prefixPaths('skills/deep/er/new', createActionSkill('demo.new')))
    await waitUntil(async () => (await names(server)).includes('demo.new@0.1.0'))
    rmSync(join(server.dir, 'skills/greet'), { recursive: true })
    await waitUntil(
      async () => !(await names(server)).some((name) => name.startsWith('demo.greet')),
    )
    await waitUntil(() => messages.some((line) => line.includes('demo.greet@0.2.0 is gone')))
  })

  it.each(['name = "demo.greet', '', 'name = "demo.greet"\nversion = "x"\n'])(
    'keeps the last good version after an edit breaks it (%j) and logs it',
    async (broken) => {
      const { server, said: messages, toml } = await startWatchedServer()
      writeFileSync(toml, broken)
      await waitUntil(() =>
        messages.some((line) =>
          line.includes('demo.greet@0.1.0 is broken, its last good version stays in use'),
        ),
      )
      expect(await names(server)).toContain('demo.greet@0.1.0')
      expect(await server.result('describe_skill', { name: 'demo.greet' })).toMatchObject({
        skill: { manifest: { version: '0.1.0', description: 'Greets somebody by name.' } },
      })
      const file = await server.result('read_skill_file', {
        name: 'demo.greet',
        path: 'skill.toml',
      })
      expect(file['content']).toContain('version = "0.1.0"')
      expect(await server.result('execute_skill', { name: 'demo.greet' })).toMatchObject({
        status: 'completed',
      })
      writeFileSync(
        toml,
        createActionSkill('demo.greet', { version: '0.3.0' })['skill.toml'] as string,
      )
      await waitUntil(() => messages.some((line) => line.includes('demo.greet@0.3.0 is fixed')))
      expect(await names(server)).toContain('demo.greet@0.3.0')
    },
  )

  it('never uses a partially written file', async () => {
    const { server, toml } = await startWatchedServer()
    const whole = createActionSkill('demo.greet')['skill.toml'] as string
    for (let round = 0; round < 10; round++) {
      writeFileSync(toml, '')
      expect(await names(server)).toContain('demo.greet@0.1.0')
      writeFileSync(toml, whole)
      expect(await names(server)).toContain('demo.greet@0.1.0')
    }
  })
})
