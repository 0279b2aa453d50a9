import type { Config } from '../../core/config/config.ts'
import { memoize } from '../../util/memoize.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'

/** Rules of the project's and the user's configuration together, read once in a command. */
export const loadInstallRules: (context: Context) => Promise<Config['install']> = memoize(
  async (context: Context) => {
    const { config } = await openConfig(context)
    return config.install
  },
)
