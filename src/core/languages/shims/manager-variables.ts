/** Prefixes of the variables that select the version of a program, by version manager. */
const MANAGER_PREFIXES = [
  'ASDF_',
  'FNM_',
  'GOENV_',
  'HOMEBREW_',
  'JENV_',
  'MISE_',
  'NIX_',
  'NODENV_',
  'NVM_',
  'PHPENV_',
  'PLENV_',
  'PROTO_',
  'PYENV_',
  'RBENV_',
  'RTX_',
  'RUSTUP_',
  'SDKMAN_',
  'VOLTA_',
]
const MANAGER_NAMES = [
  'CARGO_HOME',
  'GOROOT',
  'JAVA_HOME',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_STATE_HOME',
]
const SECRET_NAME = /TOKEN|SECRET|PASSWORD|CREDENTIAL|_KEY/

/** Variables that keep a manager from installing a missing version while it is queried. */
const NO_INSTALLATION: Readonly<Record<string, string>> = {
  GOTOOLCHAIN: 'local',
  MISE_EXEC_AUTO_INSTALL: 'false',
  MISE_NOT_FOUND_AUTO_INSTALL: 'false',
  MISE_OFFLINE: '1',
  RUSTUP_AUTO_INSTALL: '0',
}

/** Selects the variables of version managers, without those that hold secrets. */
export function selectManagerVariables(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const selected = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && belongsToManager(name) ? [[name, value] as const] : [],
  )
  return { ...Object.fromEntries(selected), ...NO_INSTALLATION }
}

function belongsToManager(name: string): boolean {
  if (SECRET_NAME.test(name)) return false
  return MANAGER_NAMES.includes(name) || MANAGER_PREFIXES.some((prefix) => name.startsWith(prefix))
}
