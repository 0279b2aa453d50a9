import { startTestServer, type ServerSetup, type TestServer } from '../../helpers/server.ts'

/** A server that prepares no forks, which takes seconds, for tests without runs. */
export async function startColdServer({
  settings,
  ...setup
}: ServerSetup = {}): Promise<TestServer> {
  return await startTestServer({ ...setup, settings: { 'run.warm': false, ...settings } })
}
