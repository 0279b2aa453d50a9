import { join } from 'node:path'

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
  /** Exists if the agent was used on this machine; notation of `user`. Absent if it leaves none. */
  trace?: string
}

/** Folders of a user: the variable that moves them, and the path in the home folder without it. */
export const USER_FOLDERS = {
  '~': { variable: undefined, path: '' },
  $CONFIG: { variable: 'XDG_CONFIG_HOME', path: '.config' },
  $CLAUDE: { variable: 'CLAUDE_CONFIG_DIR', path: '.claude' },
  $CODEX: { variable: 'CODEX_HOME', path: '.codex' },
  $AUTOHAND: { variable: 'AUTOHAND_HOME', path: '.autohand' },
  $GROK: { variable: 'GROK_HOME', path: '.grok' },
  $HERMES: { variable: 'HERMES_HOME', path: '.hermes' },
  $SARVAM: { variable: 'SARVAM_HOME', path: '.sarvam' },
  $VIBE: { variable: 'VIBE_HOME', path: '.vibe' },
} as const

/** An agent with a folder in projects and one of the user, which have one name unless `home` is given. */
const own = (
  ...[id, name, folder, home = `~/${folder}`]: [string, string, string, string?]
): AgentDefinition => ({
  id,
  name,
  project: join(folder, 'skills'),
  user: `${home}/skills`,
  trace: home,
})

/** An agent that reads the shared folder of a project, and has one of the user. */
const atHome = (id: string, name: string, home: string): AgentDefinition => ({
  id,
  name,
  user: `${home}/skills`,
  trace: home,
})

/** An agent that reads the shared folder of both scopes. */
const shared = (id: string, name: string, trace?: string): AgentDefinition => ({
  id,
  name,
  ...(trace === undefined ? {} : { trace }),
})

export const AGENTS: readonly AgentDefinition[] = [
  own('claude-code', 'Claude Code', '.claude', '$CLAUDE'),
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
  shared('dexto', 'Dexto', '~/.dexto'),
  shared('fx', 'fx', '~/.fx'),
  shared('kimi-code-cli', 'Kimi Code CLI', '~/.kimi-code'),
  shared('loaf', 'Loaf', '~/.loaf'),
  shared('promptscript', 'PromptScript'),
  shared('sarvam-code', 'Sarvam Code', '$SARVAM'),
  { id: 'amp', name: 'Amp', user: '$CONFIG/agents/skills', trace: '$CONFIG/amp' },
  { id: 'replit', name: 'Replit', user: '$CONFIG/agents/skills' },
  { id: 'universal', name: 'Universal', user: '$CONFIG/agents/skills' },
  {
    id: 'deepagents',
    name: 'Deep Agents',
    user: '~/.deepagents/agent/skills',
    trace: '~/.deepagents',
  },
  atHome('goose', 'Goose', '$CONFIG/goose'),
  atHome('antigravity', 'Antigravity', '~/.gemini/antigravity'),
  atHome('antigravity-cli', 'Antigravity CLI', '~/.gemini/antigravity-cli'),
  atHome('droid', 'Droid', '~/.factory'),
  atHome('firebender', 'Firebender', '~/.firebender'),
  atHome('kilo', 'Kilo Code', '~/.kilo'),
  own('adal', 'AdaL', '.adal'),
  own('aider-desk', 'AiderDesk', '.aider-desk'),
  own('augment', 'Augment', '.augment'),
  own('autohand-code', 'Autohand Code CLI', '.autohand', '$AUTOHAND'),
  own('bob', 'IBM Bob', '.bob'),
  own('codearts-agent', 'CodeArts Agent', '.codeartsdoer'),
  own('codebuddy', 'CodeBuddy', '.codebuddy'),
  own('codemaker', 'Codemaker', '.codemaker'),
  own('codestudio', 'Code Studio', '.codestudio'),
  own('command-code', 'Command Code', '.commandcode'),
  own('continue', 'Continue', '.continue'),
  own('cortex', 'Cortex Code', '.cortex', '~/.snowflake/cortex'),
  own('crush', 'Crush', '.crush', '$CONFIG/crush'),
  own('devin', 'Devin for Terminal', '.devin', '$CONFIG/devin'),
  own('forgecode', 'ForgeCode', '.forge'),
  own('grok', 'Grok Build', '.grok', '$GROK'),
  own('hermes-agent', 'Hermes Agent', '.hermes', '$HERMES'),
  own('iflow-cli', 'iFlow CLI', '.iflow'),
  own('inference-sh', 'inference.sh', '.inferencesh'),
  own('jazz', 'Jazz', '.jazz'),
  own('junie', 'Junie', '.junie'),
  own('kimchi', 'Kimchi', '.kimchi', '$CONFIG/kimchi/harness'),
  own('kiro-cli', 'Kiro CLI', '.kiro'),
  own('kode', 'Kode', '.kode'),
  own('lingma', 'Lingma', '.lingma'),
  own('mcpjam', 'MCPJam', '.mcpjam'),
  own('minimax-code', 'MiniMax Code', '.minimax'),
  own('mistral-vibe', 'Mistral Vibe', '.vibe', '$VIBE'),
  own('moxby', 'Moxby', '.moxby'),
  own('mux', 'Mux', '.mux'),
  own('neovate', 'Neovate', '.neovate'),
  own('ona', 'Ona', '.ona'),
  own('openhands', 'OpenHands', '.openhands'),
  own('pochi', 'Pochi', '.pochi'),
  own('posit-assistant', 'Posit Assistant', '.posit/assistant'),
  own('qoder', 'Qoder', '.qoder'),
  own('qoder-cn', 'Qoder CN', '.qoder', '~/.qoder-cn'),
  own('qwen-code', 'Qwen Code', '.qwen'),
  own('reasonix', 'Reasonix', '.reasonix'),
  own('roo', 'Roo Code', '.roo'),
  own('rovodev', 'Rovo Dev', '.rovodev'),
  own('tabnine-cli', 'Tabnine CLI', '.tabnine/agent'),
  own('terramind', 'Terramind', '.terramind'),
  own('tinycloud', 'Tinycloud', '.tinycloud'),
  own('trae', 'Trae', '.trae'),
  own('trae-cn', 'Trae CN', '.trae', '~/.trae-cn'),
  own('zcode', 'ZCode', '.zcode'),
  own('zencoder', 'Zencoder', '.zencoder'),
  own('zenflow', 'Zenflow', '.zencoder'),
  own('openclaw', 'OpenClaw', '', '~/.openclaw'),
  own('astrbot', 'AstrBot', 'data', '~/.astrbot/data'),
  { id: 'eve', name: 'Eve', project: 'agent/skills' },
]

export function findAgent(id: string): AgentDefinition | undefined {
  return AGENTS.find((agent) => agent.id === id)
}
