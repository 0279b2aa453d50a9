import { loadConfig, type LoadedConfig } from '../core/config/load-config.ts'
import { createRuntime, type Runtime } from '../core/runtime.ts'
import type { Context } from './context.ts'

/** The configuration that a command line amounts to; `flags` are settings by key. */
export async function openConfig(
  context: Context,
  flags: Readonly<Record<string, unknown>> = {},
): Promise<LoadedConfig> {
  const { root, config, noConfig } = context.global
  return loadConfig({
    cwd: context.cwd,
    env: context.env,
    file: config,
    noFiles: noConfig,
    flags: { ...(root.length > 0 ? { roots: [...root] } : {}), ...flags },
  })
}

/** The runtime that a command works with. */
export async function openRuntime(
  context: Context,
  flags: Readonly<Record<string, unknown>> = {},
): Promise<Runtime> {
  const { config } = await openConfig(context, flags)
  return createRuntime({ config })
}
