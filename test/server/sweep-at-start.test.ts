import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SILENT_LOG } from '../../src/server/telemetry/request-log.ts'
import { sweepAtStart } from '../../src/server/sweep-at-start.ts'
import { createTestApp } from '../helpers/app.ts'

const OLD = new Date(Date.now() - 400 * 24 * 3_600_000)
const KEYS = ['a', 'b'].map((letter) => letter.repeat(40))

describe('a server at startup', () => {
  it('removes expired workspaces and sessions and keeps the others', async () => {
    const { runtime } = await createTestApp({})
    const { data } = runtime.config.directories
    for (const key of KEYS) {
      mkdirSync(`${data}/workspaces/${key}/root`, { recursive: true })
      mkdirSync(`${data}/sessions/${key}`, { recursive: true })
      writeFileSync(`${data}/workspaces/${key}/root/file`, key)
    }
    for (const name of ['workspaces', 'sessions'])
      utimesSync(`${data}/${name}/${KEYS[0]}`, OLD, OLD)
    await sweepAtStart(runtime, SILENT_LOG)
    const remaining = (name: string) =>
      readdirSync(`${data}/${name}`).filter((each) => !each.startsWith('.'))
    expect(remaining('workspaces')).toEqual([KEYS[1]])
    expect(remaining('sessions')).toEqual([KEYS[1]])
    expect(existsSync(`${data}/workspaces/${KEYS[1]}/root/file`)).toBe(true)
  })
})
