import { describe, expect, it } from 'vitest'
import { createFolder, runSkills } from '../helpers/skills.ts'

interface FoundProblem {
  rule: string
  severity: string
  path: string
  start: { line: number; column: number } | null
  message: string
  help: string | null
}

/** Lints a skill named "greet" with front matter lines, and returns the findings of hosts. */
async function lint(
  profile: string | undefined,
  lines: readonly string[],
  { files = {}, config = '' }: { files?: Record<string, string>; config?: string } = {},
): Promise<FoundProblem[]> {
  const base = lines.some((line) => /^(?:name|no-name)/.test(line)) ? [] : ['name: greet']
  const text = lines.some((line) => line.startsWith('description'))
    ? []
    : ['description: Greets the person that the user names, in a friendly way.']
  const front = [...base, ...text, ...lines.filter((line) => line !== 'no-name')].join('\n')
  const cwd = createFolder({
    'skills.config.toml': config,
    'skills/greet/SKILL.md': `---\n${front}\n---\n\n# Greet\n\nGreet the person.\n`,
    ...Object.fromEntries(
      Object.entries(files).map(([path, each]) => [`skills/greet/${path}`, each]),
    ),
  })
  const args = profile === undefined ? [] : ['--profile', profile]
  const done = await runSkills(['lint', '--json', ...args], { cwd })
  const { findings } = done.json() as unknown as { findings: FoundProblem[] }
  const rules = /^portability\/(?:host-|front-matter-key|mcp-skill|agent-)/
  return findings.filter(({ rule }) => rules.test(rule))
}

const ALL_KEYS = [
  'when_to_use: When the user greets.',
  'argument-hint: "[name]"',
  'arguments: [name]',
  'disable-model-invocation: true',
  'allowed-tools: Read, Bash(git add *) mcp__github__create_issue',
  'disallowed-tools: [AskUserQuestion]',
  'model: sonnet',
  'effort: xhigh',
  'context: fork',
  'agent: Explore',
  'background: true',
  'hooks:\n  PreToolUse:\n    - matcher: Bash',
  'paths: "src/**"',
  'shell: bash',
]

describe('skills lint without a profile', () => {
  it('accepts the keys of all hosts', async () => {
    expect(await lint(undefined, [...ALL_KEYS, 'user-invocable: true'])).toEqual([])
  })

  it('suggests a key for a misspelled one, and accepts keys that resemble none', async () => {
    const found = await lint(undefined, ['licence: MIT', 'user-invokable: true', 'audience: all'])
    expect(found.map(({ severity, start, help }) => [severity, start?.line, help])).toEqual([
      ['warning', 4, 'Did you mean "license"?'],
      ['warning', 5, 'Did you mean "user-invocable"?'],
    ])
  })
})

describe('skills lint --profile', () => {
  it('accepts all keys of Claude Code, and names those that other hosts ignore', async () => {
    expect(await lint('claude-code', ALL_KEYS)).toEqual([])
    const codex = await lint('codex', ['effort: high', 'model: opus'])
    expect(codex).toMatchObject([
      { rule: 'portability/host-key', severity: 'info', start: { line: 4, column: 1 } },
      { rule: 'portability/host-key', message: 'Codex ignores the key "model"' },
    ])
    expect(codex[0]?.help).toContain('a key of Claude Code')
    expect(await lint('copilot', ['argument-hint: name'])).toEqual([])
    const both = await lint('copilot,codex', ['effort: high'])
    expect(both[0]?.message).toBe('Codex and GitHub Copilot ignore the key "effort"')
  })

  it.each([
    ['claude-code', 'context: forked', 'error', 'context is "forked", expected fork'],
    ['claude-code', 'effort: extreme', 'error', 'expected low, medium, high, xhigh, max'],
    ['claude-code', 'shell: zsh', 'error', 'expected bash, powershell'],
    ['claude-code', 'user-invocable: "no"', 'error', 'expected true or false'],
    ['claude-code', 'disable-model-invocation: 1', 'error', 'is "1", expected true or false'],
    ['claude-code', 'background: maybe', 'error', 'expected true or false'],
    ['claude-code', 'model: sonet', 'warning', 'not the short name of a model'],
    ['claude-code', 'model: [opus]', 'error', 'is a list, expected a string'],
    ['claude-code', 'agent: Explore', 'warning', 'has no effect without context: fork'],
    ['claude-code', 'allowed-tools: Read bash', 'warning', '"bash", which is not a tool'],
    ['claude-code', 'allowed-tools: Read Bash(git *', 'error', 'expected matching parentheses'],
    ['claude-code', 'allowed-tools: mcp_github_issue', 'warning', 'expected mcp__server__tool'],
    ['claude-code', 'disallowed-tools: [Wirte]', 'warning', '"Wirte", which is not a tool'],
    ['claude-code', 'paths: 3', 'error', 'expected a string or a list of strings'],
    ['claude-code', 'hooks: on', 'error', 'hooks is not a table'],
    ['claude-code', 'hooks:\n  PreTooluse: []', 'error', 'is not an event of a hook'],
    ['claude-code', `when_to_use: ${'word '.repeat(400)}`, 'warning', 'of which 1536 are listed'],
    ['claude-api', 'name: claude-helper', 'error', 'the reserved word "claude"'],
    ['claude-api', 'name: my-anthropic-tool', 'error', 'the reserved word "anthropic"'],
    ['claude-api', 'name: Greet', 'error', 'has upper-case letters'],
    ['claude-api', `name: ${'a'.repeat(65)}`, 'error', 'has 65 characters, expected at most 64'],
    ['claude-api', 'description: Writes <b>bold</b> text.', 'error', 'the XML tag "<b>"'],
    ['claude-api', `description: ${'a'.repeat(1025)}`, 'error', 'has 1025 characters'],
    ['claude-api', 'description:', 'error', 'description is missing'],
    ['codex', `name: ${'a'.repeat(65)}`, 'error', 'name has 65 characters'],
    ['codex', `description: ${'a'.repeat(1025)}`, 'error', 'description has 1025 characters'],
    ['codex', 'no-name', 'error', 'name is missing'],
    ['copilot', 'name: hello', 'error', 'differs from the folder "greet"'],
    ['copilot', 'user-invocable: yes please', 'error', 'expected true or false'],
    ['mcp', 'name: Greet Me', 'error', 'MCP omits the skill'],
  ])('%s: "%s" is a finding with severity %s', async (...row) => {
    const [profile, line, severity, message] = row
    const found = await lint(profile, [line])
    const matching = found.find((each) => each.message.includes(message))
    expect(matching, JSON.stringify(found)).toMatchObject({
      severity,
      path: 'skills/greet/SKILL.md',
    })
    expect(found).toHaveLength(1)
  })

  it('points to the value or the key', async () => {
    const found = await lint('claude-code', ['context: forked', 'effort: none'])
    expect(found.map(({ start }) => start)).toEqual([
      { line: 4, column: 10 },
      { line: 5, column: 9 },
    ])
  })

  it('reports a skill that nothing can start', async () => {
    const lines = ['user-invocable: false', 'disable-model-invocation: true']
    expect(await lint('claude-code', lines)).toMatchObject([
      { severity: 'warning', start: { line: 4 }, message: expect.stringContaining('nothing can') },
    ])
  })

  it('agent-skills reports each key that the format does not define', async () => {
    const found = await lint('agent-skills', ['effort: high', 'licence: MIT'])
    expect(found.map(({ rule, severity }) => [rule, severity])).toEqual([
      ['portability/front-matter-key', 'warning'],
      ['portability/front-matter-key', 'warning'],
    ])
  })

  it('checks agents/openai.yaml for Codex', async () => {
    const yaml = [
      'interface:',
      '  display_name: Greet',
      '  brand_colour: blue',
      '  brand_color: blue',
      '  icon_small: assets/gone.svg',
      '  icon_large: ../icon.png',
      'policy:',
      '  allow_implicit_invocation: "no"',
      'dependencies:',
      '  tools:',
      '    - type: mcp',
      'polcy: {}',
      '',
    ].join('\n')
    const found = await lint('codex', [], { files: { 'agents/openai.yaml': yaml } })
    expect(found.every(({ path }) => path === 'skills/greet/agents/openai.yaml')).toBe(true)
    expect(found.map(({ severity, start }) => [start?.line, start?.column, severity])).toEqual([
      [3, 3, 'warning'],
      [4, 16, 'error'],
      [5, 15, 'error'],
      [6, 15, 'error'],
      [8, 30, 'error'],
      [11, 7, 'error'],
      [12, 1, 'warning'],
    ])
    expect(await lint('claude-code', [], { files: { 'agents/openai.yaml': yaml } })).toEqual([])
  })

  it('reports agents/openai.yaml that is not YAML, and accepts a valid one', async () => {
    const broken = await lint('codex', [], { files: { 'agents/openai.yaml': 'interface: [\n' } })
    expect(broken).toMatchObject([{ severity: 'error', message: expect.stringContaining('YAML') }])
    const valid = {
      'agents/openai.yaml':
        'interface:\n  display_name: "Greet"\n  brand_color: "#3B82F6"\n  icon_small: "./assets/a.svg"\npolicy:\n  allow_implicit_invocation: false\n',
      'assets/a.svg': '<svg/>\n',
    }
    expect(await lint('codex', [], { files: valid })).toEqual([])
  })

  it('is a setting, and an option that replaces the setting', async () => {
    const config = '[lint]\nprofiles = ["claude-code"]\n'
    expect(await lint(undefined, ['context: forked'], { config })).toHaveLength(1)
    expect(await lint('claude-api', ['name: greet'], { config })).toEqual([])
  })

  it('an unknown profile is a usage error with a suggestion', async () => {
    const cwd = createFolder({ 'skills/greet/SKILL.md': '# x\n' })
    const done = await runSkills(['lint', '--profile', 'claude-cod'], { cwd })
    expect(done).toMatchObject({ code: 2, stdout: '' })
    expect(done.stderr).toContain('"claude-cod" is not a profile')
    expect(done.stderr).toContain('Did you mean "claude-code"?')
  })
})
