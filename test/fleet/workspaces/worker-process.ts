// A worker in a process of its own, which tests kill or stop.
import { join } from 'node:path'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { createPolicySource } from '../../../src/core/policy/load-policy.ts'
import { openEngine } from '../../../src/fleet/engine/open-engine.ts'
import { createIdentity } from '../../../src/fleet/node/identity.ts'
import { openWorker } from '../../../src/fleet/worker/open-worker.ts'

const [servers = '', name = '', dir = '', settings = '{}'] = process.argv.slice(2)
const env = { PATH: process.env['PATH'], HOME: dir }
const origins = await loadConfig({
  cwd: dir,
  env,
  flags: JSON.parse(settings) as Record<string, unknown>,
  noFiles: true,
})
origins.config.directories.data = join(dir, 'nodes', name)
const worker = await openWorker({
  engine: await openEngine({
    servers,
    name,
    tenant: 'main',
    patienceMs: 10_000,
    reads: 'requests',
  }),
  identity: createIdentity(name),
  origins,
  policy: createPolicySource(origins.config),
  build: 'test',
  env,
  cwd: dir,
  allowNetwork: false,
  onProblem: () => {},
})
process.on('message', () => {
  void worker.stop(1000).then(() => process.exit(0))
})
process.send?.('ready')
