/** Formats a YAML string: plain if every parser reads it as the same string, quoted otherwise. */
export function toYamlString(text: string): string {
  const isPlain = /^[\p{L}_/][\p{L}\p{N} _.,;()/*:-]*$/u.test(text) && !/:(?: |$)| #| $/.test(text)
  return isPlain && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text)
}
