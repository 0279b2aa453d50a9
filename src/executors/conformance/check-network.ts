import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { assertThat } from '../../conformance/assertions.ts'
import type { ExecutorTrial } from './requirement.ts'
import { expectValue, openTrialRuntime } from './trial-runtime.ts'

/** Lets a skill fetch from a server of this process, and from a name that it does not list. */
export async function checkNetwork(trial: ExecutorTrial): Promise<void> {
  const server = createServer((_, response) => response.end('listed'))
  await new Promise<void>((resolve, reject) =>
    server.on('error', reject).listen(0, '127.0.0.1', resolve),
  )
  const { port } = server.address() as AddressInfo
  const dir = join(trial.folder, 'skills', 'fetch')
  mkdirSync(dir, { recursive: true })
  const lines = [
    'name = "trial.fetch"\nversion = "1.0.0"\ndescription = "Fetches."\nkind = "action"',
    '[runtime]\nlanguage = "python"\nentrypoint = "main.py"\nexport = "main"',
    `[permissions]\nnetwork = ["http://localhost:${port}"]\n`,
  ]
  writeFileSync(join(dir, 'skill.toml'), lines.join('\n'))
  writeFileSync(join(dir, 'main.py'), FETCHES)
  try {
    const settings = {
      roots: [join(trial.folder, 'skills')],
      'run.network.allow_private': ['localhost'],
    }
    const { runtime, call } = await openTrialRuntime(trial, settings)
    const args = { urls: [`http://localhost:${port}/`, 'http://not-listed.example/'] }
    const own = { ...call, grants: { allowNetwork: true } }
    const { output, error } = await runtime.executeSkill({ name: 'trial.fetch', args }, own)
    assertThat(error === undefined, `the run failed: ${error?.message}`)
    expectValue(output, ['listed', '403'])
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

const FETCHES = `import urllib.error, urllib.request

def fetch(url):
    try:
        return urllib.request.urlopen(url, timeout=20).read().decode()
    except urllib.error.HTTPError as error:
        return str(error.code)
    except OSError as error:
        return repr(error)

def main(args):
    return [fetch(url) for url in args["urls"]]
`
