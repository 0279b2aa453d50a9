import { loadConfig, type LoadedConfig } from '../core/config/load-config.ts'
import type { Context } from './context.ts'

/** The configuration as this command line sees it, with the origin of every value. */
export async function loadSettings(context: Context): Promise<LoadedConfig> {
  const { root, config, noConfig } = context.global
  return await loadConfig({
    cwd: context.cwd,
    env: context.env,
    file: config,
    noFiles: noConfig,
    flags: root.length > 0 ? { roots: [...root] } : {},
  })
}
