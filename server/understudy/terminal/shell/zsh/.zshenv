# The first file that zsh reads, in the place of the user's own, which it reads itself.
#
# The nonce of the marks comes in a file that is emptied before anything else runs, and stays in a
# parameter that is not exported.

builtin read -r __understudy_nonce <"$UNDERSTUDY_NONCE_FILE" && : >|"$UNDERSTUDY_NONCE_FILE"
builtin typeset +x __understudy_nonce
__understudy_folder=$ZDOTDIR
__understudy_editor=${UNDERSTUDY_EDITOR_SCRIPTS-}
if [[ -n ${UNDERSTUDY_ZDOTDIR-} ]]; then
  ZDOTDIR=$UNDERSTUDY_ZDOTDIR
else
  builtin unset ZDOTDIR
fi
builtin unset UNDERSTUDY_NONCE_FILE UNDERSTUDY_EDITOR_SCRIPTS UNDERSTUDY_ZDOTDIR

[[ -r ${ZDOTDIR:-$HOME}/.zshenv ]] && . "${ZDOTDIR:-$HOME}/.zshenv"

# Where the other files of the user lie is known now; ours come first once more.
__understudy_had_zdotdir=${+ZDOTDIR}
__understudy_zdotdir=${ZDOTDIR-}
if [[ -o interactive && -o rcs ]]; then
  ZDOTDIR=$__understudy_folder
fi
