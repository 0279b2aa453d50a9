/**
 * Folders in which agents look for skills. An agent without `project` reads `.agents/skills` of a
 * project by itself, one without `user` reads `~/.agents/skills`.
 *
 * Sources: the documentation of Claude Code (code.claude.com/docs/en/skills), Codex
 * (developers.openai.com/codex/skills), Cursor (cursor.com/docs/skills), GitHub Copilot
 * (docs.github.com, "About agent skills"), Gemini CLI (geminicli.com/docs/cli/skills), OpenCode
 * (opencode.ai/docs/skills), Cline (docs.cline.bot/features/skills), Windsurf
 * (docs.windsurf.com/windsurf/cascade/skills) and Goose (block.github.io/goose, "Using Skills").
 * The other rows, the folders of Amp and the traces of installed agents are those of the npm
 * package `skills` 1.7.4 (docs/agents.md, detection).
 */
export interface AgentDefinition {
  /** As in the npm package `skills`, so that users need one name only. */
  id: string
  name: string
  /** Below the project's folder. */
  project?: string
  /** Begins with a folder of `USER_FOLDERS`. */
  user?: string
  /** Exists if the agent was used on this machine; notation of `user`. */
  trace: string
}

/** Folders of a user: the variable that moves them, and the path in the home folder without it. */
export const USER_FOLDERS = {
  '~': { variable: undefined, path: '' },
  $CONFIG: { variable: 'XDG_CONFIG_HOME', path: '.config' },
  $CLAUDE: { variable: 'CLAUDE_CONFIG_DIR', path: '.claude' },
  $CODEX: { variable: 'CODEX_HOME', path: '.codex' },
} as const

/** An agent whose two folders have one name below the project and the home folder. */
const own = (id: string, name: string, folder: string): AgentDefinition => ({
  id,
  name,
  project: `${folder}/skills`,
  user: `~/${folder}/skills`,
  trace: `~/${folder}`,
})

/** An agent that reads the shared folder of both scopes. */
const shared = (id: string, name: string, trace: string): AgentDefinition => ({ id, name, trace })

export const AGENTS: readonly AgentDefinition[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    project: '.claude/skills',
    user: '$CLAUDE/skills',
    trace: '$CLAUDE',
  },
  shared('codex', 'Codex', '$CODEX'),
  shared('cursor', 'Cursor', '~/.cursor'),
  shared('github-copilot', 'GitHub Copilot', '~/.copilot'),
  shared('gemini-cli', 'Gemini CLI', '~/.gemini'),
  shared('opencode', 'OpenCode', '$CONFIG/opencode'),
  shared('cline', 'Cline', '~/.cline'),
  shared('windsurf', 'Windsurf', '~/.codeium/windsurf'),
  shared('pi', 'Pi', '~/.pi/agent'),
  shared('warp', 'Warp', '~/.warp'),
  shared('zed', 'Zed', '$CONFIG/zed'),
  { id: 'amp', name: 'Amp', user: '$CONFIG/agents/skills', trace: '$CONFIG/amp' },
  { id: 'goose', name: 'Goose', user: '$CONFIG/goose/skills', trace: '$CONFIG/goose' },
  {
    id: 'antigravity',
    name: 'Antigravity',
    user: '~/.gemini/antigravity/skills',
    trace: '~/.gemini/antigravity',
  },
  { id: 'droid', name: 'Droid', user: '~/.factory/skills', trace: '~/.factory' },
  { id: 'kilo', name: 'Kilo Code', user: '~/.kilo/skills', trace: '~/.kilo' },
  {
    id: 'crush',
    name: 'Crush',
    project: '.crush/skills',
    user: '$CONFIG/crush/skills',
    trace: '$CONFIG/crush',
  },
  own('augment', 'Augment', '.augment'),
  own('codebuddy', 'CodeBuddy', '.codebuddy'),
  own('continue', 'Continue', '.continue'),
  own('iflow-cli', 'iFlow CLI', '.iflow'),
  own('junie', 'Junie', '.junie'),
  own('kiro-cli', 'Kiro CLI', '.kiro'),
  own('mistral-vibe', 'Mistral Vibe', '.vibe'),
  own('openhands', 'OpenHands', '.openhands'),
  own('qoder', 'Qoder', '.qoder'),
  own('qwen-code', 'Qwen Code', '.qwen'),
  own('roo', 'Roo Code', '.roo'),
  own('trae', 'Trae', '.trae'),
  own('zencoder', 'Zencoder', '.zencoder'),
]

export function findAgent(id: string): AgentDefinition | undefined {
  return AGENTS.find((agent) => agent.id === id)
}
