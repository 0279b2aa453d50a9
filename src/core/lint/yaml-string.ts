/** A text as a YAML value: plain where every parser takes it for the same text, else in quotes. */
export function toYamlString(text: string): string {
  const isPlain = /^[\p{L}_/][\p{L}\p{N} _.,;()/*:-]*$/u.test(text) && !/:(?: |$)| #| $/.test(text)
  return isPlain && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text)
}
