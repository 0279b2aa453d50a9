import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tryDelegatedScope } from '../../../src/core/doctor/try-delegated-scope.ts'
import { createFolder } from '../../helpers/skills.ts'

/** Tries it with a script in place of systemd-run, which not every system has. */
async function tryWith(script: string) {
  const dir = createFolder({ 'systemd-run': `#!/bin/sh\n${script}\n` })
  chmodSync(join(dir, 'systemd-run'), 0o755)
  const result = await tryDelegatedScope({ PATH: `${dir}:/usr/bin:/bin` })
  return { dir, result }
}

describe('the trial of a delegated scope', () => {
  it('offers the command that worked', async () => {
    const { dir, result } = await tryWith('printf "%s\\n" "$@" > "$(dirname "$0")/argv"')
    expect(result).toEqual({
      ok: true,
      detail: 'systemd gives one to a program that it starts',
      fix: 'Type: systemd-run --user --scope -p Delegate=yes skills serve',
    })
    const argv = readFileSync(join(dir, 'argv'), 'utf8').split('\n')
    expect(argv.slice(0, 8)).toEqual(
      '--user --scope -p Delegate=yes --quiet --collect -- sh'.split(' '),
    )
  })

  it('reports the answer of a system without a user manager', async () => {
    const { result } = await tryWith('echo "Failed to connect to bus: No medium found" >&2; exit 1')
    expect(result).toMatchObject({
      ok: false,
      detail: 'systemd gives none: Failed to connect to bus: No medium found',
    })
    expect(result.fix).toContain('loginctl enable-linger')
  })

  it('needs the controllers in the group of the scope', async () => {
    const { result } = await tryWith('exit 3')
    expect(result).toMatchObject({ ok: false })
    expect(result.detail).toContain('without the controllers')
  })

  it('does not offer a command that is not installed', async () => {
    const result = await tryDelegatedScope({ PATH: createFolder({}) })
    expect(result).toEqual({
      ok: false,
      detail: 'this system has no systemd to ask for one',
      fix: 'Run as root',
    })
  })
})
