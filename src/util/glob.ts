/** Compiles a glob into a test for forward-slash paths: `*`, `**`, `?`, `[…]`, `{a,b}`. */
export function compileGlob(glob: string): (path: string) => boolean {
  const pattern = new RegExp(`^${translateGlob(glob.replace(/^\.\//, ''))}$`, 'su')
  return (path) => pattern.test(path)
}

function translateGlob(glob: string): string {
  let result = ''
  for (let at = 0; at < glob.length; at++) {
    const rest = glob.slice(at)
    const special = /^(?:\*\*\/|\/\*\*$|\*\*|\*|\?|\[[^\]/]+\]|\{[^{}]*\})/.exec(rest)?.[0]
    if (special === undefined) {
      result += escapeCharacter(glob[at] as string)
      continue
    }
    result += translateGlobToken(special)
    at += special.length - 1
  }
  return result
}

function translateGlobToken(special: string): string {
  if (special === '**/') return '(?:[^/]+/)*'
  if (special === '/**') return '(?:/.*)?'
  if (special === '**') return '.*'
  if (special === '*') return '[^/]*'
  if (special === '?') return '[^/]'
  if (special.startsWith('[')) {
    const negated = /^\[[!^]/.test(special)
    const inside = special.slice(negated ? 2 : 1, -1).replaceAll('\\', '\\\\')
    return `[${negated ? '^' : ''}${inside}]`
  }
  return `(?:${special.slice(1, -1).split(',').map(translateGlob).join('|')})`
}

function escapeCharacter(character: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character
}
