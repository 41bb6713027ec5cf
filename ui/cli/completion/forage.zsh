#compdef forage
# Completion of forage for zsh. To have it in every shell, in a directory of $fpath:
#   forage completion zsh > ~/.zsh/completions/_forage

_forage() {
    local -a lines list options
    local kind line value text program=${words[1]/#\~/$HOME}
    lines=("${(@f)$($program __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    kind=$lines[1]
    shift lines
    case $kind in
    files)
        compset -P '--*='
        _files
        return
        ;;
    dirs)
        compset -P '--*='
        _files -/
        return
        ;;
    nospace)
        options=(-S '')
        ;;
    esac
    for line in $lines; do
        value=${line%%$'\t'*}
        text=${line#*$'\t'}
        list+=("${value//:/\\:}:$text")
    done
    _describe -V forage list $options
}

if [[ $funcstack[1] == _forage ]]; then
    _forage "$@"
else
    compdef _forage forage
fi
