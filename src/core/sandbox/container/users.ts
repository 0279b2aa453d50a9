import { ask, type Engine } from './engine.ts'

const known = new Map<string, Promise<boolean>>()

/** Whether numbers of users inside mean others outside, so that few of them are there. */
export async function isRemapped(engine: Engine): Promise<boolean> {
  if (engine.name === 'podman') return process.getuid?.() !== 0
  const key = engine.words.join(' ')
  const asked = known.get(key) ?? askDocker(engine)
  known.set(key, asked)
  return await asked
}

async function askDocker(engine: Engine): Promise<boolean> {
  const { stdout } = await ask(engine, ['info', '--format', '{{.SecurityOptions}}'])
  return /name=(?:rootless|userns)/.test(stdout)
}
