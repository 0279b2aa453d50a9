import { join } from 'node:path'
import { stampFile } from '../stamp-interpreter.ts'
import { selectManagerVariables } from './manager-variables.ts'

type SelectionEnvironment = Readonly<Record<string, string | undefined>>

/**
 * Stamps everything that known version managers read to select a version for a folder without
 * settings: their variables, their settings and their folders of versions.
 */
export function stampSelection(env: SelectionEnvironment): string {
  const files = listSelectionFiles(env).map(stampFile)
  return JSON.stringify([env['PATH'] ?? null, selectManagerVariables(env), files])
}

function listSelectionFiles(env: SelectionEnvironment): string[] {
  const home = env['HOME'] ?? '/'
  const config = env['XDG_CONFIG_HOME'] || join(home, '.config')
  const data = env['XDG_DATA_HOME'] || join(home, '.local/share')
  const roots = ['pyenv', 'rbenv', 'nodenv', 'goenv', 'jenv', 'phpenv', 'plenv'].map(
    (name) => env[`${name.toUpperCase()}_ROOT`] || join(home, `.${name}`),
  )
  const asdf = env['ASDF_DATA_DIR'] || join(home, '.asdf')
  return [
    ...roots.flatMap((root) => [join(root, 'version'), join(root, 'versions')]),
    join(env['RUSTUP_HOME'] || join(home, '.rustup'), 'settings.toml'),
    join(home, '.tool-versions'),
    join(home, '.asdfrc'),
    join(asdf, 'installs'),
    env['MISE_GLOBAL_CONFIG_FILE'] || join(config, 'mise/config.toml'),
    join(env['MISE_DATA_DIR'] || join(data, 'mise'), 'installs'),
    join(env['VOLTA_HOME'] || join(home, '.volta'), 'tools/user/platform.json'),
    join(env['PROTO_HOME'] || join(home, '.proto'), '.prototools'),
  ]
}
