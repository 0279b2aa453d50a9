import type { Tree } from './skills.ts'

const INPUTS = `
[inputs]
name = { type = "string", description = "Name of the person to greet" }
`

/** A small valid action skill. */
export function createActionSkill(
  name: string,
  extra: { version?: string; toml?: string } = {},
): Tree {
  const folder = name.split('.').at(-1) ?? name
  return {
    'skill.toml': `name = "${name}"
version = "${extra.version ?? '0.1.0'}"
description = "Greets somebody by name."
kind = "action"

[runtime]
language = "python"
entrypoint = "code/main.py"
export = "main"
${extra.toml ?? INPUTS}`,
    'SKILL.md': `---\nname: ${folder}\ndescription: Greets somebody by name.\nshort_description: Greets somebody by name.\n---\n\n# Greet\n\nSays *hello*.\n\nTakes \`name\`.\n\n## Example\n\n\`\`\`sh\nskills exec ${name}\n\`\`\`\n`,
    'code/main.py':
      'def main(args):\n    return {"greeting": "Hello, " + args.get("name", "you")}\n',
  }
}

/** A small valid skill with a manifest but without code, so that lint starts no process. */
export function createInstructionSkill(
  name: string,
  { version = '0.1.0', toml = '' }: { version?: string; toml?: string } = {},
): Tree {
  const folder = name.split('.').at(-1) ?? name
  return {
    'skill.toml': `name = "${name}"\nversion = "${version}"\ndescription = "Greets somebody."\nkind = "instruction"\n${toml}`,
    'SKILL.md': `---\nname: ${folder}\ndescription: Greets somebody.\n---\n\n# Greet\n\nSays hello.\n`,
    'references/words.md': 'Hello.\n',
  }
}

/** A small valid skill without manifest and code, so that lint starts no process. */
export function createTextSkill(name: string, version = '0.1.0', text = 'Says hello.'): Tree {
  return {
    'SKILL.md': `---\nname: ${name}\ndescription: Greets somebody.\nmetadata:\n  version: ${version}\n---\n\n# Greet\n\n${text}\n`,
    'references/words.md': `Hello in version ${version}.\n`,
  }
}

/** Moves trees below a folder of a project. */
export function prefixPaths(prefix: string, tree: Tree): Tree {
  return Object.fromEntries(Object.entries(tree).map(([path, text]) => [`${prefix}/${path}`, text]))
}
