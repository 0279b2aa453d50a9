import type { Rule } from '../../rule.ts'
import { AGENT_DESCRIPTION } from './agent-description.ts'
import { AGENT_NAME } from './agent-name.ts'
import { ALLOWED_TOOLS } from './allowed-tools.ts'
import { AMBIGUOUS_YAML } from './ambiguous-yaml.ts'
import { CLAUDE_API_LIMITS } from './claude-api-limits.ts'
import { COMPATIBILITY } from './compatibility.ts'
import { FRONT_MATTER_KEY } from './front-matter-key.ts'
import { HOST_KEY } from './host-key.ts'
import { HOST_VALUE } from './host-value.ts'
import { MCP_LIMITS } from './mcp-limits.ts'
import { MCP_SKILL } from './mcp-skill.ts'
import { METADATA_VALUES } from './metadata-values.ts'
import { OPENAI_LIMITS } from './openai-limits.ts'
import { STRICT_YAML } from './strict-yaml.ts'
import { SYMLINK } from './symlink.ts'
import { TOML_VERSION } from './toml-version.ts'
import { YAML_TAB } from './yaml-tab.ts'

export const PORTABILITY_RULES: readonly Rule[] = [
  AGENT_DESCRIPTION,
  AGENT_NAME,
  ALLOWED_TOOLS,
  AMBIGUOUS_YAML,
  CLAUDE_API_LIMITS,
  COMPATIBILITY,
  FRONT_MATTER_KEY,
  HOST_KEY,
  HOST_VALUE,
  MCP_LIMITS,
  MCP_SKILL,
  METADATA_VALUES,
  OPENAI_LIMITS,
  STRICT_YAML,
  SYMLINK,
  TOML_VERSION,
  YAML_TAB,
]
