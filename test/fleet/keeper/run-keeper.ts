// A keeper in a process of its own, which prints a line regularly and writes while it has the lease.
import { openEngine } from '../../../src/fleet/engine/open-engine.ts'
import { startKeeper } from '../../../src/fleet/keeper/keeper.ts'
import { createIdentity } from '../../../src/fleet/node/identity.ts'
import { createWritingJob, TEST_TIMES } from './keeper-nodes.ts'

const [servers = '', tenant = '', node = ''] = process.argv.slice(2)
const engine = await openEngine({ servers, name: node, tenant, patienceMs: 30_000 })
startKeeper(engine, {
  identity: createIdentity(node),
  createJobs: () => [[createWritingJob(node)]],
  onProblem: (title, error) => console.error(title, error),
  times: TEST_TIMES,
})
setInterval(() => process.stdout.write('running\n'), 50)
