import type { Config } from '../../core/config/config.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'

/** Rules of the project's and the user's configuration together. */
export async function loadInstallRules(context: Context): Promise<Config['install']> {
  const { config } = await openConfig(context)
  return config.install
}
