/** Turns a glob into a test over forward-slash paths: `*`, `**`, `?`, `[…]`, `{a,b}`. */
export function globMatcher(glob: string): (path: string) => boolean {
  const pattern = new RegExp(`^${translate(glob.replace(/^\.\//, ''))}$`, 'su')
  return (path) => pattern.test(path)
}

function translate(glob: string): string {
  let result = ''
  for (let at = 0; at < glob.length; at++) {
    const rest = glob.slice(at)
    const special = /^(?:\*\*\/|\/\*\*$|\*\*|\*|\?|\[[^\]/]+\]|\{[^{}]*\})/.exec(rest)?.[0]
    if (special === undefined) {
      result += escape(glob[at] as string)
      continue
    }
    result += translateSpecial(special)
    at += special.length - 1
  }
  return result
}

function translateSpecial(special: string): string {
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
  return `(?:${special.slice(1, -1).split(',').map(translate).join('|')})`
}

function escape(character: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character
}
