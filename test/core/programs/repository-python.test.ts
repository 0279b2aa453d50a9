// @module-tag slow
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createUser, type UserMachine } from '../../helpers/user-machine.ts'

const PREFIX = { runtime: 'python', code: 'import sys; print(sys.prefix)' } as const

function addEnvironment({ home }: UserMachine, folder: string): void {
  execFileSync('/usr/bin/python3', ['-m', 'venv', '--without-pip', join(home, folder)])
}

/** A manager that starts the version of the repository, or its own. */
const MANAGER = `#!/bin/bash
version=$(cat "$PWD/.python-version" 2>/dev/null || cat "$PYENV_ROOT/version")
[ "$1" = which ] && { echo "$PYENV_ROOT/versions/$version/bin/$2"; exit; }
shift
program="$1"
shift
exec "$PYENV_ROOT/versions/$version/bin/$program" "$@"
`
const SHIM =
  '#!/usr/bin/env bash\nset -e\nexport PYENV_ROOT="HOME_DIR/.pyenv"\nexec "HOME_DIR/.pyenv/libexec/pyenv" exec "${0##*/}" "$@"\n'
const createPython = (version: string) =>
  `#!/bin/sh\ncase "$*" in *main.py*) echo "python ${version}";; *) exec /usr/bin/python3 "$@";; esac\n`

describe('Python code in a repository', { timeout: 120_000 }, () => {
  it('runs in the nearest virtual environment', async () => {
    const user = await createUser({ 'api/sub/keep': '' })
    // Control: without one, the Python of PATH runs.
    expect((await user.run(PREFIX)).stdoutSummary).toBe('/usr\n')
    addEnvironment(user, 'api/.venv')
    expect((await user.run(PREFIX)).stdoutSummary).toBe('/repo/.venv\n')
    addEnvironment(user, 'api/sub/venv')
    const below = await user.run({ ...PREFIX, relativeCwd: 'sub' })
    expect(below.stdoutSummary).toBe('/repo/sub/venv\n')
    expect((await user.run({ ...PREFIX, executable: 'python3' })).stdoutSummary).toBe('/usr\n')
  })

  it('runs in no environment whose interpreter is not one of the user', async () => {
    const user = await createUser(
      { 'api/.venv/pyvenv.cfg': 'home = /x/bin\n', 'other/bin/python3.99': '#!/bin/sh\n' },
      { links: { 'api/.venv/bin/python': 'HOME_DIR/other/bin/python3.99' } },
    )
    expect((await user.run(PREFIX)).stdoutSummary).toBe('/usr\n')
  })

  it('runs in no environment if a policy has a rule about executables', async () => {
    const user = await createUser(
      { '.config/skills/policy.toml': '[deny]\nexecutables = ["ruby"]\n' },
      { settings: '[policy]\nfile = "policy.toml"\n' },
    )
    addEnvironment(user, 'api/.venv')
    expect((await user.run(PREFIX)).stdoutSummary).toBe('/usr\n')
  })

  it('runs in the version that .python-version selects', async () => {
    const files = {
      '.pyenv/shims/python3': SHIM,
      '.pyenv/libexec/pyenv': MANAGER,
      '.pyenv/version': '3.99.1\n',
      '.pyenv/versions/3.99.1/bin/python3': createPython('3.99.1'),
      '.pyenv/versions/3.98.0/bin/python3': createPython('3.98.0'),
    }
    const options = { folders: ['.pyenv/shims'] }
    const code = { runtime: 'python', code: 'pass' } as const
    const user = await createUser({ ...files, 'api/.python-version': '3.98.0\n' })
    expect((await user.run(code, options)).stdoutSummary).toBe('python 3.98.0\n')
  })
})
