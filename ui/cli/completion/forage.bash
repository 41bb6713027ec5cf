# Completion of forage for bash. To have it in every shell:
#   forage completion bash > ~/.local/share/bash-completion/completions/forage

_forage() {
    local program=${1/#\~/$HOME} rest=${COMP_LINE:0:COMP_POINT} words=() word i n=-1
    # bash splits words at "=" and ":", forage does not: what stands without a blank between belongs together.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $n -lt 0 || $rest == [[:space:]]* ]]; then
            rest=${rest#"${rest%%[![:space:]]*}"}
            words[++n]=
        fi
        if ((i == COMP_CWORD)); then
            word=$rest
        fi
        words[n]+=$word
        rest=${rest#"$word"}
    done
    local current=${words[n]//\\ / } out kind before= line value text
    words[n]=$current
    out=$("$program" __complete "${words[@]:1}" 2>/dev/null) || return 0
    kind=${out%%$'\n'*}
    # What stands before the last of them is there already.
    if [[ $current == *[=:]* && $COMP_WORDBREAKS == *[=:]* ]]; then
        before=${current%"${current##*[=:]}"}
    fi
    COMPREPLY=()
    case $kind in
    files | dirs)
        compopt -o filenames 2>/dev/null
        local option=-f
        [[ $kind == dirs ]] && option=-d
        [[ $current == --*=* ]] && before=${current%%=*}=
        while IFS= read -r line; do
            COMPREPLY+=("$line")
        done < <(compgen "$option" -- "${current#"$before"}")
        return 0
        ;;
    nospace)
        compopt -o nospace 2>/dev/null
        ;;
    esac
    [[ $out == *$'\n'* ]] || return 0
    local count=0 longest=0 lines=${out#*$'\n'}
    while IFS=$'\t' read -r value text; do
        ((count++))
        ((${#value} > longest)) && longest=${#value}
    done <<<"$lines"
    while IFS=$'\t' read -r value text; do
        value=${value#"$before"}
        # Where all are listed, they are explained.
        if ((count > 1)) && [[ $COMP_TYPE == 63 && -n $text ]]; then
            printf -v value '%-*s  (%s)' "$((longest - ${#before}))" "$value" "$text"
            value=${value:0:$((${COLUMNS:-80} - 2))}
        else
            printf -v value '%q' "$value"
        fi
        COMPREPLY+=("$value")
    done <<<"$lines"
}

complete -F _forage forage
