import { join } from 'node:path'

/** Locations of user files. Passed as values, so that tests can simulate every platform. */
export interface InstallEnvironment {
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
  home: string
  cwd: string
}

/** The command that a client starts. */
export interface ServerEntry {
  command: string
  args: readonly string[]
}

/** An MCP client: the location of its configuration and the format of server entries. */
export interface McpClient {
  title: string
  format: 'json' | 'toml'
  /** Name of the table that contains the servers. */
  key: string
  /** True if an entry has a `type`. */
  isTyped: boolean
  /** Path of the configuration; undefined if the client has none for that scope. */
  resolveFile(environment: InstallEnvironment, scope: InstallScope): string | undefined
  /**
   * How a shared configuration names the folder of the project. `.`: the client starts servers
   * there, and the project is found upwards.
   */
  projectFolder: string
  /** Instruction to the user after installation. */
  next: string
}

/** `user` applies to all projects of a user, `project` to one. */
export const INSTALL_SCOPES = ['user', 'project'] as const
export type InstallScope = (typeof INSTALL_SCOPES)[number]

export const CLIENT_NAMES = [
  'claude-desktop',
  'claude-code',
  'cursor',
  'vscode',
  'codex',
  'gemini',
] as const
export type ClientName = (typeof CLIENT_NAMES)[number]

/** Variable of editors for the folder of the project. */
const WORKSPACE_FOLDER = '${workspaceFolder}'

export const CLIENTS: Readonly<Record<ClientName, McpClient>> = {
  'claude-desktop': {
    title: 'Claude Desktop',
    format: 'json',
    key: 'mcpServers',
    isTyped: false,
    resolveFile: (environment, scope) =>
      scope === 'user'
        ? join(findAppDataFolder(environment), 'Claude', 'claude_desktop_config.json')
        : undefined,
    projectFolder: '.',
    next: 'Quit Claude Desktop and start it again',
  },
  'claude-code': {
    title: 'Claude Code',
    format: 'json',
    key: 'mcpServers',
    isTyped: true,
    resolveFile: (environment, scope) =>
      scope === 'user'
        ? join(environment.env['CLAUDE_CONFIG_DIR'] || environment.home, '.claude.json')
        : join(environment.cwd, '.mcp.json'),
    projectFolder: '.',
    next: 'Type /mcp in Claude Code to see it',
  },
  cursor: {
    title: 'Cursor',
    format: 'json',
    key: 'mcpServers',
    isTyped: false,
    resolveFile: ({ home, cwd }, scope) =>
      join(scope === 'user' ? home : cwd, '.cursor', 'mcp.json'),
    projectFolder: WORKSPACE_FOLDER,
    next: 'Enable it in the settings of Cursor, under MCP',
  },
  vscode: {
    title: 'Visual Studio Code',
    format: 'json',
    key: 'servers',
    isTyped: true,
    resolveFile: (environment, scope) =>
      scope === 'user'
        ? join(findAppDataFolder(environment), 'Code', 'User', 'mcp.json')
        : join(environment.cwd, '.vscode', 'mcp.json'),
    projectFolder: WORKSPACE_FOLDER,
    next: 'Run the command "MCP: List Servers" in Visual Studio Code to start it',
  },
  codex: {
    title: 'Codex',
    format: 'toml',
    key: 'mcp_servers',
    isTyped: false,
    resolveFile: ({ env, home, cwd }, scope) =>
      scope === 'user'
        ? join(env['CODEX_HOME'] || join(home, '.codex'), 'config.toml')
        : join(cwd, '.codex', 'config.toml'),
    projectFolder: '.',
    next: 'Type /mcp in Codex to see it',
  },
  gemini: {
    title: 'Gemini CLI',
    format: 'json',
    key: 'mcpServers',
    isTyped: false,
    resolveFile: ({ home, cwd }, scope) =>
      join(scope === 'user' ? home : cwd, '.gemini', 'settings.json'),
    projectFolder: '.',
    next: 'Type /mcp in Gemini CLI to see it',
  },
}

/** Folder of the platform for per-user application data. */
function findAppDataFolder({ platform, env, home }: InstallEnvironment): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return env['APPDATA'] || join(home, 'AppData', 'Roaming')
  return env['XDG_CONFIG_HOME'] || join(home, '.config')
}
