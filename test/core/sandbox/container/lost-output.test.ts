// @module-tag slow
// @module-tag nightly
import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { containerExecutor } from '../../../../src/executors/index.ts'
import { runTrial } from '../../../../src/executors/conformance/requirement.ts'
import { findProgram } from '../../../../src/util/find-program.ts'
import { createFolder } from '../../../helpers/skills.ts'

const PATH = process.env['PATH'] ?? ''
const MANY_BYTES = 400_000
const WRITES = `import os\nb=b"x"*${MANY_BYTES}\nwhile b:b=b[os.write(1,b):]`
const podman = findProgram('podman', PATH)
const here = await containerExecutor({ env: { PATH }, engine: 'podman' }).probe?.()
const whyNot = here?.ok === true ? '' : ` (not run: ${here?.detail})`

/**
 * An engine that passes output on late, and none after the container has exited, as podman does
 * when conmon closes the attached socket with unread input. With a limit, it ends after so many
 * bytes.
 */
function createLossyEngine(limit = Number.MAX_SAFE_INTEGER): string {
  const code = [
    '#!/usr/bin/env python3',
    'import collections, os, subprocess, sys, threading, time',
    `podman, limit = ${JSON.stringify(podman)}, ${limit}`,
    'if "run" not in sys.argv: os.execv(podman, [podman, *sys.argv[1:]])',
    'child = subprocess.Popen([podman, *sys.argv[1:]], stdout=subprocess.PIPE)',
    'late = collections.deque()',
    'def read():',
    '    while True:',
    '        data = os.read(child.stdout.fileno(), 65536)',
    '        if not data: return',
    '        late.append((time.monotonic() + 2, data))',
    'def write(passed=0):',
    '    while passed < limit:',
    '        if late and late[0][0] < time.monotonic():',
    '            data = late.popleft()[1]',
    '            passed += len(data)',
    '            while data: data = data[os.write(1, data):]',
    '        else: time.sleep(0.01)',
    '    os._exit(0)',
    'for each in (read, write): threading.Thread(target=each, daemon=True).start()',
    'os._exit(child.wait())',
  ]
  const folder = createFolder({ podman: code.join('\n') })
  chmodSync(join(folder, 'podman'), 0o755)
  return folder
}

async function runWith(folder: string) {
  const env = { PATH: `${folder}:${PATH}`, HOME: process.env['HOME'] }
  const executor = containerExecutor({ env, engine: 'podman' })
  const signal = new AbortController().signal
  const end = await runTrial({ executor, signal, folder }, WRITES)
  await executor.close?.()
  return end
}

it.skipIf(podman === undefined)('the lossy engine of these tests loses output', () => {
  const folder = createLossyEngine()
  // The real program is replaced by one that prints and exits.
  const program = createFolder({ podman: '#!/bin/sh\nhead -c 3000000 /dev/zero' })
  chmodSync(join(program, 'podman'), 0o755)
  const wrapper = join(folder, 'podman')
  const rewrite = `sed -i 's|^podman, limit = .*|podman, limit = "${program}/podman", 1e12|' ${wrapper}`
  expect(spawnSync('sh', ['-c', rewrite]).status).toBe(0)
  const { stdout } = spawnSync(wrapper, ['run'], { env: { PATH }, maxBuffer: 10_000_000 })
  expect(stdout.length).toBeLessThan(3_000_000)
})

it.skipIf(whyNot !== '')(
  `an engine that discards output at the end of a container loses none of a run${whyNot}`,
  async () => {
    const { stdout, exit } = await runWith(createLossyEngine())
    expect(stdout).toHaveLength(MANY_BYTES)
    expect(exit).toMatchObject({ exitCode: 0, failure: undefined })
  },
  120_000,
)

it.skipIf(whyNot !== '')(
  `a run whose engine ends in the middle of the output reports that output is missing${whyNot}`,
  async () => {
    const { stdout, exit } = await runWith(createLossyEngine(300_000))
    expect(stdout.length).toBeLessThan(MANY_BYTES)
    expect(exit.failure).toBe(
      'The container ended before its last message arrived, so its output may be incomplete',
    )
  },
  120_000,
)
